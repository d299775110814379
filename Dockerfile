# Goldspan from its checkout, on a slim Python; the same image runs web and worker.
FROM python:3.13-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PATH=/goldspan/.venv/bin:$PATH
WORKDIR /goldspan
RUN apt-get update \
    && apt-get install --yes --no-install-recommends make ca-certificates \
    && rm -rf /var/lib/apt/lists/*
COPY . .
RUN make install \
    && useradd --system --home /data goldspan \
    && install --directory --owner goldspan /data
USER goldspan
ENV GOLDSPAN_DATA_DIR=/data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["goldspan", "serve", "--host", "0.0.0.0"]
