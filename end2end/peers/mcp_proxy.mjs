// Adds an access token to every request, because the conformance suite cannot. Passes everything else through
// unchanged.
//
// Usage: mcp_proxy.mjs TARGET TOKEN   (prints its port)
import http from "node:http";

const [target, token] = process.argv.slice(2);
const to = new URL(target);
const server = http.createServer((request, response) => {
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  const options = { host: to.hostname, port: to.port, path: request.url, method: request.method, headers };
  const onward = http.request(options, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", () => response.destroy());
  response.on("close", () => onward.destroy());
  request.pipe(onward);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
