# Server-side image for docker-compose.yml and for a work pool: core, S3, Postgres.
FROM python:3.11.13-slim-bookworm
RUN apt-get update -q \
 && apt-get install -y -q --no-install-recommends bubblewrap libseccomp2 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/counterfoil
COPY . .
RUN pip install --no-cache-dir -c constraints.txt '.[s3,postgres,text]' \
 && useradd --create-home --uid 1000 counterfoil \
 && install -d -o counterfoil /data
USER counterfoil
CMD ["counterfoil", "doctor"]
