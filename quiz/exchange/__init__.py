"""In and out: decks of other programs to ours, and ours to Anki."""
