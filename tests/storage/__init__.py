"""Tests of reading versions and of what Playdock keeps."""
