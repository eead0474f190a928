# The image for docker-compose.yml and for a work pool. Targets: cpu (core, S3, Postgres, Ray, texts) and gpu (training,
# tuning and editing of photographs besides).
FROM python:3.11.13-slim-bookworm AS cpu
RUN apt-get update -q \
 && apt-get install -y -q --no-install-recommends bubblewrap libseccomp2 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/counterfoil
COPY . .
# A volume takes over who owns the folder that it is mounted on: /data is the user's.
RUN pip install --no-cache-dir -c constraints.txt '.[s3,postgres,ray,text]' \
 && useradd --create-home --uid 1000 counterfoil \
 && install -d -o counterfoil -g counterfoil /data
USER counterfoil
CMD ["counterfoil", "doctor"]

FROM cpu AS gpu
USER root
RUN pip install --no-cache-dir -c constraints.txt '.[s3,postgres,ray,text,train,sft,edit,mining,gpu]'
USER counterfoil
