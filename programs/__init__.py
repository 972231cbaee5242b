"""Rule programs as data: rules, vocabularies and patterns. No Python lives here."""
