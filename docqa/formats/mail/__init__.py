"""Messages: .eml (MIME), .mbox, .msg (Outlook), and what wraps messages in them (S/MIME, winmail.dat)."""
