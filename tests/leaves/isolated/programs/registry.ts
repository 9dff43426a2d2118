/**
 * Serves over HTTP and HTTPS, on this machine, what programs fetch: a text, a repository of git (smart HTTP), a package of npm
 * and one of pip. Its certificate is for the name `registry.example`, by an authority of its own.
 */
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"

/** The name of the server. */
export const host = "registry.example"

export interface Registry {
  readonly httpPort: number
  readonly httpsPort: number
  /** The certificate of the authority. */
  readonly authority: string
  readonly stop: () => Promise<void>
}

const make = (cwd: string, script: string): void => {
  const { status, stderr, stdout } = spawnSync("/bin/sh", ["-ec", script], { cwd, encoding: "utf8" })
  if (status !== 0) throw new Error(`${script}: ${stdout}${stderr}`)
}

const certificates =
  `ec() { openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -days 2 "$@" 2>&1; }
ec -keyout ca.key -out ca.pem -subj /CN=test -addext keyUsage=critical,keyCertSign
ec -keyout key.pem -out cert.pem -CA ca.pem -CAkey ca.key -subj /CN=${host} -addext subjectAltName=DNS:${host} \
  -addext basicConstraints=critical,CA:FALSE -addext extendedKeyUsage=serverAuth`

const repository = `git init -q --bare repo.git && git -C repo.git config http.receivepack true
git init -q -b main work && cd work && git config user.email a@b.c && git config user.name n
seq 1 20000 > numbers && git add numbers && git commit -qm first && git push -q ../repo.git main
git -C ../repo.git symbolic-ref HEAD refs/heads/main`

const npmPackage = `mkdir package && cd package
echo '{"name":"fixture","version":"1.0.0","main":"index.js"}' > package.json
echo 'module.exports = "from npm"' > index.js && cd .. && tar czf fixture.tgz package`

const wheel = "fixture-1.0-py3-none-any.whl"
const pipPackage = `mkdir wheel && cd wheel && mkdir fixture-1.0.dist-info && echo 'text = "from pip"' > fixture.py
printf 'Metadata-Version: 2.1\\nName: fixture\\nVersion: 1.0\\n' > fixture-1.0.dist-info/METADATA
printf 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n' > fixture-1.0.dist-info/WHEEL
printf 'fixture.py,,\\nfixture-1.0.dist-info/METADATA,,\\nfixture-1.0.dist-info/WHEEL,,\\nfixture-1.0.dist-info/RECORD,,\\n' \
  > fixture-1.0.dist-info/RECORD
python3 -m zipfile -c ../${wheel} fixture.py fixture-1.0.dist-info`

/** Runs git's own CGI program (git-http-backend(1)). */
const serveGit = (directory: string, request: IncomingMessage, response: ServerResponse): void => {
  const url = new URL(request.url ?? "/", "http://x")
  const header = (name: string): string => String(request.headers[name] ?? "")
  const backend = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: directory,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_PROTOCOL: header("git-protocol"),
      REMOTE_USER: "tester",
      REQUEST_METHOD: request.method,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: header("content-type"),
      HTTP_CONTENT_ENCODING: header("content-encoding"),
    },
    stdio: ["pipe", "pipe", "ignore"],
  })
  backend.stdin.on("error", () => {})
  request.pipe(backend.stdin)
  const pieces: Array<Buffer> = []
  backend.stdout.on("data", (piece) => pieces.push(piece))
  backend.on("close", () => {
    const output = Buffer.concat(pieces)
    const end = output.indexOf("\r\n\r\n")
    for (const line of output.subarray(0, Math.max(end, 0)).toString().split("\r\n")) {
      const [name = "", value = ""] = line.split(": ")
      if (name === "Status") response.statusCode = Number(value.slice(0, 3))
      else response.setHeader(name, value)
    }
    response.end(output.subarray(end + 4))
  })
}

const listen = async (server: ReturnType<typeof createServer>): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}

/** Starts it, with its files in an empty folder. */
export const startRegistry = async (directory: string): Promise<Registry> => {
  for (const script of [certificates, repository, npmPackage, pipPackage]) make(directory, script)
  const path = (name: string): string => join(directory, name)
  const tarball = readFileSync(path("fixture.tgz"))
  const serve: RequestListener = (request, response) => {
    const at = `${"encrypted" in request.socket ? "https" : "http"}://${request.headers.host}`
    const url = request.url ?? ""
    if (url.startsWith("/repo.git/")) return serveGit(directory, request, response)
    if (url === "/text") return void response.end("from outside\n")
    if (url === "/fixture.tgz") return void response.end(tarball)
    if (url === `/${wheel}`) return void response.end(readFileSync(path(wheel)))
    if (url === "/simple/fixture/") {
      response.setHeader("content-type", "text/html")
      return void response.end(`<a href="/${wheel}">${wheel}</a>`)
    }
    if (url === "/fixture") {
      const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`
      const version = { name: "fixture", version: "1.0.0", dist: { tarball: `${at}/fixture.tgz`, integrity } }
      response.setHeader("content-type", "application/json")
      return void response.end(
        JSON.stringify({ name: "fixture", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } }),
      )
    }
    response.statusCode = 404
    response.end("not found\n")
  }
  const plain = createServer(serve)
  const tls = createTlsServer({ key: readFileSync(path("key.pem")), cert: readFileSync(path("cert.pem")) }, serve)
  const [httpPort, httpsPort] = [await listen(plain), await listen(tls)]
  return {
    httpPort,
    httpsPort,
    authority: path("ca.pem"),
    stop: async () => {
      for (const server of [plain, tls]) {
        server.closeAllConnections()
        await new Promise<void>((resolve) => server.close(() => resolve()))
      }
    },
  }
}
