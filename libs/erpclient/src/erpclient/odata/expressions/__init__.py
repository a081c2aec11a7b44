"""Parse one decoded query option and write it again from its tokens, or reject it with its position."""
