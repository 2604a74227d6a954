"""Pages to look at and listen to: report, item browser, listening test."""
