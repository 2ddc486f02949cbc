"""The project that the tests apply: the apps of one vendor, a web client, a resource server."""

import hashlib

REDIRECT_URI = "https://app.example.com/callback"
OFFERS_URI = "https://offers.example.com/"
MAIL_DOMAIN = "people.example.com"
API_SECRET = "the-secret-of-the-api"

DOCUMENT = """\
id: torture
name: Torture
http:
  public_origin: "{issuer}"
  hosts: [{domain}]
  projector_origin: "{projector}"
  cookie_domain: {domain}
  cookie_prefix: "{prefix}"
oauth:
  resources:
    - {{uri: "https://api.example.com", scopes: [payments.read]}}
  clients:
    - client_id: app
      name: App
      x_application_type: native
      redirect_uris: ["{redirect_uri}"]
      default_resources: ["https://api.example.com"]
    - client_id: brisk
      name: Brisk
      x_application_type: native
      redirect_uris: ["{redirect_uri}"]
      default_resources: ["https://api.example.com"]
      refresh_token_rotation_grace_seconds: 5
    - client_id: steady
      name: Steady
      x_application_type: native
      redirect_uris: ["{redirect_uri}"]
      default_resources: ["https://api.example.com"]
      refresh_token_rotation_grace_seconds: 60
    - client_id: phone          # an app that uses all that a phone has
      name: Phone
      {phone}
    - client_id: chief          # the same, and whom it lets in goes when it goes
      name: Chief
      {phone}
      x_app2app_cascade_revocation: true
    - client_id: guest          # an app that others let in
      name: Guest
      x_application_type: native
      redirect_uris: ["{redirect_uri}"]
      default_resources: ["https://api.example.com"]
      refresh_token_rotation_grace_seconds: 60
    - client_id: mate           # an app that joins the session of another of its vendor
      name: Mate
      x_application_type: native
      redirect_uris: ["{redirect_uri}"]
      default_resources: ["https://api.example.com"]
      refresh_token_rotation_grace_seconds: 60
      x_native_sso_group: torture
    - client_id: offers         # web pages that an app opens
      name: Offers
      x_application_type: traditional_webapp
      redirect_uris: ["{offers_uri}callback"]
      x_pre_authenticated_url_enabled: true
      x_pre_authenticated_url_allowed_origins: ["https://offers.example.com"]
    - client_id: api
      name: API
      x_application_type: m2m
      client_secret_sha256: ["{secret}"]
      resources: ["https://api.example.com", "{issuer}", offers]
      allowed_scopes: [revocations.read]
"""
PHONE = """\
x_application_type: native
      redirect_uris: ["{redirect_uri}"]
      default_resources: ["https://api.example.com"]
      refresh_token_rotation_grace_seconds: 60
      x_app2app_enabled: true
      x_biometric_enabled: true
      x_biometric_setup_max_age_seconds: 0
      x_native_sso_group: torture
      x_pre_authenticated_url_enabled: true"""


def document(host, projector, name="torture"):
    """The project of a name at a host, as it is applied."""
    text = DOCUMENT.format(
        issuer=f"http://{host}", domain=host.split(":")[0], projector=projector,
        # A domain below another's needs one (decision 0243).
        prefix="" if name == "torture" else f"{name}_",
        offers_uri=OFFERS_URI, redirect_uri=REDIRECT_URI,
        phone=PHONE.format(redirect_uri=REDIRECT_URI),
        secret=hashlib.sha256(API_SECRET.encode()).hexdigest(),
    )
    return text.replace("id: torture\n", f"id: {name}\n", 1)
