def parse_fsd(text):
    """Reads a duration as Flux does (RFC 23): seconds, or 90d, or infinity."""
    return float("inf") if text == "infinity" else float(text.rstrip("d")) * (86400 if text.endswith("d") else 1)
