#!/bin/sh
# Finds Chromium for the browser tests; installs Debian's where that is allowed.
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  command -v "$name" >/dev/null 2>&1 && exit 0
done
line="apt-get update && apt-get install --yes --no-install-recommends chromium fonts-dejavu fonts-noto-core fonts-noto-color-emoji"
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  echo "Installing Chromium for the browser tests"
  DEBIAN_FRONTEND=noninteractive sh -c "$line" >/dev/null && exit 0
fi
echo "The browser tests need Chromium. Install it with: sudo sh -c '$line'" >&2
echo "or install Chromium or Chrome in your system's own way. 'make check' runs the rest without it." >&2
exit 1
