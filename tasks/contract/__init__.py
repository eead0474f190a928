"""What a domain and a family are."""
