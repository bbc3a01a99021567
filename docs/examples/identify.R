# Which birds are in a recording? Prints scientific name, common name and confidence, one bird a line.
#   CHIFFCHAFF_URL=https://birds.example.org CHIFFCHAFF_TOKEN=cct_… Rscript identify.R morning.wav
# Needs httr2.
library(httr2)

recording <- commandArgs(trailingOnly = TRUE)[1]
prediction <- request(Sys.getenv("CHIFFCHAFF_URL")) |>
  req_url_path("/get_prediction") |>
  req_auth_bearer_token(Sys.getenv("CHIFFCHAFF_TOKEN")) |>
  req_body_multipart(file = curl::form_file(recording), latitude = "50.8", longitude = "12.9", date = "2026-05-01") |>
  req_error(body = function(response) resp_body_json(response)$detail) |>
  req_perform() |>
  resp_body_json()

for (bird in prediction$candidates)
  cat(bird$scientificName, bird$commonName, bird$confidence, sep = "\t", fill = TRUE)
