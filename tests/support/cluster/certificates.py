"""The certificates, tokens and kubeconfigs of a cluster."""

import json
import secrets

from processes import tool

USERS = ("ana@example.com", "bo@example.com")


class Authority:
    """A certificate authority with a key for one start of one cluster."""

    def __init__(self, folder):
        self.folder = folder
        self.certificate = folder / "ca.crt"

    def create(self):
        """Creates the authority, the signing key of service account tokens, and the tokens of users."""
        key = self._key("ca")
        tool("openssl", "req", "-x509", "-new", "-key", key, "-subj", "/CN=kinetic-test-cluster", "-days", "3650",
             "-out", self.certificate)
        tool("openssl", "genrsa", "-out", self.folder / "accounts.key", "2048")
        (self.folder / "token").write_text(secrets.token_hex(16))
        users = {name: secrets.token_hex(16) for name in USERS}
        (self.folder / "users.json").write_text(json.dumps(users))
        (self.folder / "tokens.csv").write_text(f'{self.token()},admin,1,"system:masters"\n' + "".join(
            f"{token},{name},{name}\n" for name, token in users.items()))

    def token(self):
        """Returns the administrator's token."""
        return (self.folder / "token").read_text()

    def user_tokens(self):
        """Returns the tokens of users without permissions, by name. Clusters of earlier versions have none."""
        path = self.folder / "users.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def sign(self, name, subject, addresses=()):
        """Creates the certificate NAME.crt of a server with these addresses, or of a client."""
        key = self._key(name)
        request = tool("openssl", "req", "-new", "-key", key, "-subj", subject)
        extensions = self.folder / f"{name}.extensions"
        names = f"subjectAltName={','.join(addresses)}\n" if addresses else ""
        extensions.write_text("keyUsage=digitalSignature,keyEncipherment\n"
                              f"extendedKeyUsage=serverAuth,clientAuth\n{names}")
        tool("openssl", "x509", "-req", "-CA", self.certificate, "-CAkey", self.folder / "ca.key", "-set_serial",
             f"0x{secrets.token_hex(8)}", "-days", "3650", "-extfile", extensions, "-out", self.folder / f"{name}.crt",
             input=request)

    def kubeconfig(self, name, server):
        """Creates NAME.kubeconfig, which uses the certificate of that name."""
        certificates = {"client-certificate": f"{self.folder}/{name}.crt", "client-key": f"{self.folder}/{name}.key"}
        path = self.folder / f"{name}.kubeconfig"
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "kinetic-test",
            "clusters": [{"name": "kinetic-test",
                          "cluster": {"server": server, "certificate-authority": str(self.certificate)}}],
            "users": [{"name": name, "user": certificates}],
            "contexts": [{"name": "kinetic-test", "context": {"cluster": "kinetic-test", "user": name}}],
        }, indent=1) + "\n")
        return path

    def _key(self, name):
        path = self.folder / f"{name}.key"
        tool("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path)
        return path
