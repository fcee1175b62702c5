"""Image processing on bytes: default avatars, validation and re-encoding of images, and placeholders."""
