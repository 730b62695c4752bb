"""What is shown of a campaign: results, tables, figures, a page."""
