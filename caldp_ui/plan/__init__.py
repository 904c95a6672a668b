"""Plan a survey: from an accuracy to people and ε, and back."""
