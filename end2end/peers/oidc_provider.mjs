// An independent, certified OpenID Connect provider. Prints its port, then reads the desk's redirect address
// from its input. Usage: node oidc_provider.mjs <client id> <client secret> <"token" or "userinfo": where the
// email address is>
import http from "node:http";
import readline from "node:readline";

import { Provider } from "oidc-provider";

const [clientId, clientSecret, where] = process.argv.slice(2);

let answer = (_, response) => response.writeHead(503).end();
const server = http.createServer((request, response) => answer(request, response));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));

readline.createInterface({ input: process.stdin }).once("line", (redirect) => {
  const provider = new Provider(`http://127.0.0.1:${server.address().port}`, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirect] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: where === "userinfo",
    cookies: { keys: ["only for tests"] },
    features: { devInteractions: { enabled: true } },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true, name: `${id} at the provider` }),
    }),
    pkce: { required: () => true },
  });
  answer = provider.callback();
});
