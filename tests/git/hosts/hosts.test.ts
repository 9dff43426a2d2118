/** Tests both leaves with hosts that fail, lie or attack. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { OptionError } from "../../../src/base/OptionError.ts"
import { serviceLayers } from "../../../src/branch/mod.ts"
import { CachedFetch, Fetch, FetchLeaf, HttpBranch } from "../../../src/fetch/mod.ts"
import { Git, GitBranch, type GitFault, GitHubGit, GitLabGit } from "../../../src/git/mod.ts"
import { Journal, MemoryJournal } from "../../../src/journal/Journal.ts"
import { makeRepository } from "../repository.ts"
import { serveGitHub } from "./githubServer.ts"
import { serveGitLab } from "./gitlabServer.ts"
import { type Answer, type HostServer, serveHost } from "./hostServer.ts"

const token = "s3cr3t-token-of-the-test"

interface HostKind {
  readonly name: string
  readonly path: string
  readonly serve: (root: string, token: string) => Promise<HostServer>
  readonly options: (access: GitHubGit.HostAccess) => FetchLeaf.FetchLeafOptions
  readonly layer: (options: GitHubGit.HostGitOptions) => Layer.Layer<Git, OptionError, Fetch>
}

const kinds: ReadonlyArray<HostKind> = [
  {
    name: "GitHub",
    path: "/api/v3",
    serve: serveGitHub,
    options: GitHubGit.fetchOptions,
    layer: (options) => GitHubGit.layer({ repository: "acme/site", ...options }),
  },
  {
    name: "GitLab",
    path: "/api/v4",
    serve: serveGitLab,
    options: GitLabGit.fetchOptions,
    layer: (options) => GitLabGit.layer({ project: "acme/site", ...options }),
  },
]

const open = async (kind: HostKind) => {
  const repository = await makeRepository()
  const server = await kind.serve(repository.root, token)
  const url = `${server.origin}${kind.path}`
  const access = kind.options({ token: Redacted.make(token), url })
  const layerOf = (options: GitHubGit.HostGitOptions = {}, network: FetchLeaf.FetchLeafOptions = access) =>
    kind.layer({ url, ...options }).pipe(Layer.provide(FetchLeaf.layer(network)))
  const run = <A, E>(program: Effect.Effect<A, E, Git>, layer = layerOf()) =>
    Effect.runPromise(Effect.provide(program, layer))
  const faultOf = async (program: Effect.Effect<unknown, GitFault, Git>, layer = layerOf()) => {
    const fault = await run(Effect.flip(program), layer)
    if (fault._tag !== "GitFault") throw fault
    expect(`${fault.stack} ${JSON.stringify(fault)}`).not.toContain(token)
    return fault
  }
  return {
    ...repository,
    server,
    url,
    access,
    layerOf,
    run,
    faultOf,
    /** The fault of a program to which the host gives one answer. */
    faultAt: async (answer: Answer, program: Effect.Effect<unknown, GitFault, Git> = Git.log()) => {
      server.override = () => answer
      const { faultKind, message, retryAfterMillis } = await faultOf(program)
      server.override = undefined
      return { faultKind, message, retryAfterMillis }
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await repository[Symbol.asyncDispose]()
    },
  }
}

describe.each(kinds)("$name", (kind) => {
  const { name } = kind

  it("distinguishes refusals, and gives advice", async () => {
    await using host = await open(kind)
    const json = (status: number, message: unknown, headers: Record<string, string> = {}): Answer => ({
      status,
      body: { message },
      headers,
    })
    expect(await host.faultAt(json(401, `Bad credentials ${token}`))).toMatchObject({
      faultKind: "Denied",
      message: `git log: ${name} answered 401; give FetchLeaf a token with the right to do this`,
    })
    expect((await host.faultAt(json(403, "Resource not accessible"))).message).toBe(
      `git log: ${name} answered 403: Resource not accessible; give FetchLeaf a token with the right to do this`,
    )
    expect((await host.faultAt(json(404, "Not Found"))).message).toContain("or the token may not see it")
    expect((await host.faultAt(json(409, { base: ["x\u202e\n"] }))).message).toContain('409: {"base":["x\\u202e\\n"]}')
    expect((await host.faultAt(json(422, "Validation Failed"))).faultKind).toBe("InvalidRequest")
    expect((await host.faultAt(json(406, "too large"))).faultKind).toBe("TooLarge")
    expect((await host.faultAt({ status: 502, body: "<html>Bad gateway</html>" })).message).toBe(
      `git log: ${name} answered 502`,
    )
    expect(await host.faultAt(json(429, "slow down", { "retry-after": "30" }))).toEqual({
      faultKind: "Throttled",
      message: `git log: ${name} answered 429, its rate limit: ask again in 30 s`,
      retryAfterMillis: 30_000,
    })
    const soon = String(Math.ceil(Date.now() / 1_000) + 60)
    const limit = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": soon }
    const { faultKind, retryAfterMillis = 0 } = await host.faultAt(json(403, "API rate limit exceeded", limit))
    expect([faultKind, retryAfterMillis > 30_000 && retryAfterMillis <= 61_000]).toEqual(["Throttled", true])
    expect(await host.faultAt(json(403, "You have exceeded a secondary rate limit"))).toMatchObject({
      faultKind: "Throttled",
      retryAfterMillis: undefined,
    })
    const never = { "retry-after": "99999999999999999999" }
    expect((await host.faultAt(json(429, "", never))).retryAfterMillis).toBe(86_400_000)
  })

  it("refuses a response that is not from the API", async () => {
    await using host = await open(kind)
    const field = name === "GitHub" ? "sha" : "id"
    const bodies: ReadonlyArray<readonly [body: string | Uint8Array, place: string]> = [
      ["<html>Sign in</html>", ""],
      ["", ""],
      ["null", ""],
      ["[1]", " (0 is wrong)"],
      [`[{"${field}":1}]`, ` (0.${field} is wrong)`],
      [`[{"other":"t0p"}]`, ` (0.${field} is missing)`],
      ["{", ""],
      [new Uint8Array([0x5b, 0xff, 0x5d]), ""],
      ["[".repeat(100_000), ""],
    ]
    for (const [body, place] of bodies) {
      const { faultKind, message } = await host.faultAt({ status: 200, body })
      expect([faultKind, message]).toEqual([
        "Failed",
        `git log: the response is not from the API of ${name}${place}: is ${host.url} its address?`,
      ])
      expect((await host.faultAt({ status: 200, body }, Git.read("a.txt"))).faultKind).toMatch(/Failed|InvalidRequest/)
    }
    const branch = `[{"name":"\xff","default":true,"commit":{"sha":"x","id":"x"}}]`
    const latin = { status: 200, body: new Uint8Array(Buffer.from(branch, "latin1")) }
    expect((await host.faultAt(latin, Git.branches())).faultKind).toBe("Failed")
    const wrong = { size: 1, encoding: "base64", content: "%%%", type: "file", sha: "x" }
    expect((await host.faultAt({ status: 200, body: wrong }, Git.read("a.txt"))).message).toContain("not in base64")
  })

  it("ends an endless answer, and closes its connection", async () => {
    await using host = await open(kind)
    const closed = new Promise((resolve) => {
      host.server.override = (_, response) => {
        response.on("close", resolve)
        const write = (): void => {
          while (!response.destroyed && response.write(" ".repeat(65_536)));
        }
        response.on("drain", write)
        write()
        return "handled"
      }
    })
    expect((await host.faultOf(Git.log())).faultKind).toBe("TooLarge")
    await closed
  })

  it("ends endless pages, empty or not", async () => {
    await using host = await open(kind)
    for (const body of ["[]", JSON.stringify(Array.from({ length: 100 }, () => ({ no: "branch" })))]) {
      let count = 0
      host.server.requests.length = 0
      host.server.override = () => ({
        status: 200,
        body,
        headers: { link: `<${host.url}/x?page=${++count}>; rel="next"` },
      })
      const { faultKind } = await host.faultOf(Git.branches(), host.layerOf({ maxItems: 1_000 }))
      expect(faultKind).toBe(body === "[]" ? "TooLarge" : "Failed")
      expect(host.server.requests.length).toBeLessThan(50)
    }
  })

  it("reads all pages, and no more than its limit", async () => {
    await using host = await open(kind)
    const main = host.git("rev-parse", "main").trim()
    for (let at = 0; at < 130; at++) host.write(`.git/refs/heads/b${at}`, `${main}\n`)
    expect((await host.run(Git.branches())).branches).toHaveLength(131)
    host.server.requests.length = 0
    const fault = await host.faultOf(Git.branches(), host.layerOf({ maxItems: 100 }))
    expect([fault.faultKind, fault.message]).toEqual(["TooLarge", "git branches: there are more than 100 (maxItems)"])
    expect(host.server.requests).toHaveLength(2)
  })

  it("sends its token to no other host: by a link, or by a redirect", async () => {
    await using host = await open(kind)
    await using other = await serveHost(token, () => [])
    other.override = () => ({ status: 200, body: "[]" })
    const links = [`${other.origin}${kind.path}/x`, `${host.url}.example.org/`, `${host.server.origin}/other`, "/x"]
    for (const link of [...links, `${host.url}/../../x`]) {
      const { message } = await host.faultAt({ status: 200, body: "[]", headers: { link: `<${link}>; rel="next"` } })
      expect(message).toContain("the next page is not below")
    }
    for (const status of [301, 302, 307]) {
      const headers = { location: `${other.origin}${kind.path}/x` }
      expect((await host.faultAt({ status, headers })).faultKind).toBe("Denied")
      expect((await host.faultAt({ status, headers }, Git.createBranch("x", { from: "main" }))).faultKind).toBe(
        "Denied",
      )
    }
    expect(other.requests).toEqual([])
    // Even a FetchLeaf that may ask the other one has no token for it, and no answer of it counts.
    const hosts = [new URL(host.url).host, new URL(other.origin).host]
    const network = { ...host.access, hosts, privateHosts: hosts }
    host.server.override = () => ({ status: 302, headers: { location: `${other.origin}${kind.path}/x` } })
    const { message } = await host.faultOf(Git.log(), host.layerOf({}, network))
    expect(message).toContain(`${name} redirects to ${other.origin}`)
    expect(other.requests.map(({ headers }) => headers["authorization"])).toEqual([undefined])
  })

  it("does not treat a redirected change as done", async () => {
    await using host = await open(kind)
    const sha = "0".repeat(40)
    const done = { ref: "refs/heads/x", object: { sha }, name: "x", default: false, commit: { id: sha } }
    host.server.override = ({ method, path }) =>
      method === "POST"
        ? { status: 301, headers: { location: `${path}/moved` } }
        : path.endsWith("/moved")
        ? { status: 200, body: done }
        : undefined
    const { faultKind, message } = await host.faultOf(Git.createBranch("x", { from: "main" }))
    expect([faultKind, message]).toEqual(["Failed", expect.stringContaining("was the repository renamed?")])
  })

  it("commits on top of the current state, also through a cache", async () => {
    await using host = await open(kind)
    host.server.headers = { "cache-control": "private, max-age=60" }
    const network = CachedFetch.layer.pipe(Layer.provide(FetchLeaf.layer(host.access)))
    const commits = Effect.gen(function* () {
      yield* Git.commitFiles("topic", "1", [{ path: "a.txt", content: "1" }], { from: "main" })
      yield* Git.commitFiles("topic", "2", [{ path: "a.txt", content: "2" }])
      yield* Git.commitFiles("topic", "3", [{ path: "a.txt", content: "3" }])
      return (yield* Git.log({ revision: "topic" })).commits.map(({ message }) => message)
    })
    const layer = kind.layer({ url: host.url }).pipe(Layer.provide(network))
    expect(await host.run(commits, layer)).toEqual(["3", "2", "1", "First"])
  })

  it("keeps names in their place", async () => {
    await using host = await open(kind)
    host.server.requests.length = 0
    const names = ["%2e%2e/%2e%2e/user", "a%2f..%2f..%2fuser", "..%5c", "x?ref=y", "x#y", "a&b=c", "ä\u202e/😀"]
    for (const name of names) {
      await host.faultOf(Git.read(name))
      const { path } = host.server.requests.at(-1) ?? { path: "" }
      const [pathname = "", ...more] = path.split("?")
      expect(decodeURIComponent(pathname.split("/").at(-1) ?? "")).toBe(name)
      expect(more.join("?")).toMatch(/^(ref=HEAD)?$/)
      expect(pathname).toMatch(
        new RegExp(`^${kind.path}/(repos/acme/site/contents|projects/acme%2Fsite/repository/files)/`),
      )
    }
    host.server.requests.length = 0
    for (
      const revision of ["..", "a..b", ".", "a/../b", "a/./b", "main...x", "/a", "a//b", "a\u0001", "\ud800", "a b"]
    ) {
      for (
        const program of [Git.log({ revision }), Git.files({ revision }), Git.diff({ from: "main", to: revision })]
      ) {
        expect(await host.run(Effect.flip<unknown, GitFault, Git>(program))).toMatchObject({
          faultKind: "InvalidRequest",
        })
      }
    }
    expect(host.server.requests).toEqual([])
  })

  it("commits nothing where a file was renamed or written between read and commit", async () => {
    for (const change of ["rename", "write"]) {
      await using host = await open(kind)
      host.git("branch", "topic")
      let theirs = ""
      host.server.override = ({ method, path }) => {
        if (theirs === "" && method === "POST" && /(git\/commits|repository\/commits)$/.test(path)) {
          if (change === "rename") host.rename("a.txt", "renamed.txt")
          else host.write("a.txt", "theirs\n")
          host.git("add", "--all")
          host.git("commit", "--quiet", "-m", "theirs")
          theirs = host.git("rev-parse", "HEAD").trim()
          host.git("branch", "--force", "topic", "HEAD")
        }
        return undefined
      }
      const files = [{ path: "a.txt", content: "ours\n" }, { path: "new.txt", content: "x" }]
      const { faultKind, message } = await host.faultOf(Git.commitFiles("topic", "ours", files))
      expect([faultKind, message]).toEqual([
        "Conflict",
        expect.stringContaining("nothing was committed: read it again"),
      ])
      expect(host.git("rev-parse", "topic").trim()).toBe(theirs)
    }
  })

  it("is in journals without its token, and replays without a network", async () => {
    await using host = await open(kind)
    const git = serviceLayers(GitBranch, Git)
    const web = serviceLayers(HttpBranch, Fetch)
    const program = Effect.gen(function* () {
      yield* Git.commitFiles("topic", "x", [{ path: "a.txt", content: "x" }], { from: "main" })
      const { commits } = yield* Git.log({ revision: "topic" })
      return commits.length
    })
    const all = Effect.gen(function* () {
      const network = Layer.provide(web.journaled, FetchLeaf.layer(host.access))
      const leaf = Layer.provide(git.journaled, kind.layer({ url: host.url }).pipe(Layer.provide(network)))
      const first = yield* Effect.provide(program, leaf)
      const entries = yield* Journal.read()
      const sent = host.server.requests.length
      const replayed = yield* Effect.provide(program, git.replay)
      // The leaf itself, on recorded responses.
      const again = yield* Effect.provide(program, kind.layer({ url: host.url }).pipe(Layer.provide(web.replay)))
      expect([replayed, again, host.server.requests.length]).toEqual([first, first, sent])
      return JSON.stringify(entries)
    })
    const entries = await Effect.runPromise(Effect.provide(all, MemoryJournal.layer))
    expect(entries).toContain(`"GitCommitFiles"`)
    expect(entries).toContain(`"HttpFetch"`)
    expect(entries).not.toContain(token)
    expect(entries).not.toMatch(/authorization/i)
  })

  it("has bounds for files", async () => {
    await using host = await open(kind)
    host.write("large.bin", "x".repeat(1_200_000))
    host.git("add", "--all")
    host.git("commit", "--quiet", "-m", "large")
    expect((await host.run(Git.read("large.bin"))).content).toHaveLength(1_200_000)
    expect((await host.faultOf(Git.read("large.bin"), host.layerOf({ maxBytes: 10_000 }))).faultKind).toBe("TooLarge")
    const files = [{ path: "x", content: new Uint8Array(9_000_000) }]
    const { faultKind, message } = await host.faultOf(Git.commitFiles("topic", "x", files, { from: "main" }))
    expect([faultKind, message]).toEqual(["InvalidRequest", expect.stringContaining("the body is longer than")])
    expect(host.git("branch", "--list", "topic")).toBe("")
  })

  it("takes a token from an Effect at each request, and reports an invalid token", async () => {
    await using host = await open(kind)
    let count = 0
    const renewed = Effect.sync(() => Redacted.make(++count === 1 ? "expired" : token))
    const layer = host.layerOf({}, kind.options({ token: renewed, url: host.url }))
    const [fault, { commits }] = await host.run(Effect.all([Effect.flip(Git.log()), Git.log()]), layer)
    expect([fault.faultKind, commits.length]).toEqual(["Denied", 1])
    for (const given of [Effect.fail(token), Redacted.make(`${token}\r\nx: y`), Redacted.make("")]) {
      const broken = kind.options({ token: given, url: host.url })
      expect((await host.faultOf(Git.log(), host.layerOf({}, broken))).message).toContain("there is no authorization")
    }
    const plain: object = { token, url: host.url }
    expect(() => kind.options(plain as GitHubGit.HostAccess)).toThrow("token is Redacted, or an Effect that gives it")
  })

  it("refuses invalid options", async () => {
    const urls = [
      "http://git.example.org",
      "http://10.0.0.1/api",
      "ftp://x",
      "x",
      "https://a:b@c",
      "https://a/?b",
      "https://a#b",
    ]
    for (const url of urls) {
      expect(() => kind.options({ token: Redacted.make(token), url })).toThrow(/url |http: to/)
      const made = kind.layer({ url }).pipe(Layer.provide(FetchLeaf.layer({ hosts: [] })))
      expect(await Effect.runPromise(Effect.flip(Effect.provide(Git.log(), made)))).toMatchObject({ option: "url" })
    }
    for (const options of [{ maxBytes: 0 }, { maxItems: 0.5 }, { no: 1 }]) {
      const made = kind.layer(options).pipe(Layer.provide(FetchLeaf.layer({ hosts: [] })))
      expect(await Effect.runPromise(Effect.flip(Effect.provide(Git.log(), made)))).toMatchObject({
        _tag: "OptionError",
      })
    }
  })
})

it("compares on GitHub with an ancestor only, and names it", async () => {
  const [github] = kinds
  if (github === undefined) return
  await using host = await open(github)
  const main = host.git("rev-parse", "main").trim()
  await host.run(Git.commitFiles("one", "x", [{ path: "a.txt", content: "1\n" }], { from: "main" }))
  await host.run(Git.commitFiles("two", "x", [{ path: "b.txt", content: "2\n" }], { from: "main" }))
  const fault = await host.faultOf(Git.diff({ from: "one", to: "two" }))
  expect([fault.faultKind, fault.message]).toEqual([
    "Unsupported",
    `git diff: GitHub compares with the common ancestor, which is not one: diff from ${main}`,
  ])
})

it("refuses repositories and projects that lead elsewhere", async () => {
  const layers = [
    ...["acme", "a/b/c", "a/..", "../b", "a/b?c", "a/b#c", "a b/c", ""].map((repository) =>
      GitHubGit.layer({ repository })
    ),
    ...["acme", "a/..", "../b", "a/b?c", "a//b", "", 0, -1, 1.5, NaN].map((project) => GitLabGit.layer({ project })),
  ]
  for (const layer of layers) {
    const made = layer.pipe(Layer.provide(FetchLeaf.layer({ hosts: [] })))
    const error = await Effect.runPromise(Effect.flip(Effect.provide(Git.log(), made)))
    expect(error._tag).toBe("OptionError")
  }
})
