/**
 * Serves a repository as GitHub Enterprise does: https://docs.github.com/en/rest, as `acme/site` below `/api/v3`.
 */
import { type Call, type HostServer, ok, page, refuse, type Route, serveHost, storedGit } from "./hostServer.ts"

const base = "^/api/v3/repos/acme/site"

interface Pull {
  readonly number: number
  readonly head: string
  readonly base: string
}

export const serveGitHub = (root: string, token: string): Promise<HostServer> => {
  const git = storedGit(root)
  const pulls: Array<Pull> = []
  const commitOf = (revision: string) => git.text("rev-parse", "--verify", "--quiet", `${revision}^{commit}`)
  const isEmpty = () => git.text("for-each-ref", "refs/heads") === ""

  const commitJson = (sha: string) => {
    const shown = git.text("show", "-s", "--format=%an%x00%ae%x00%aI%x00%P%x00%T%x00%B", sha) ?? ""
    const [name, email, date, parents = "", tree, message = ""] = shown.split("\0")
    const author = { name, email, date }
    return {
      sha,
      node_id: "C_x",
      commit: {
        author,
        committer: author,
        message: message.trimEnd(),
        tree: { sha: tree, url: "x" },
        comment_count: 0,
      },
      html_url: `https://ghe.example.org/acme/site/commit/${sha}`,
      author: null,
      committer: null,
      parents: parents.split(" ").filter(Boolean).map((sha) => ({ sha, url: "x" })),
    }
  }

  const found = (revision: string): string => {
    if (isEmpty()) refuse(409, "Git Repository is empty.")
    return commitOf(revision) ?? refuse(422, `No commit found for SHA: ${revision}`)
  }

  const refJson = (ref: string) => ({
    ref,
    node_id: "R_x",
    url: "x",
    object: { sha: git.text("rev-parse", ref), type: "commit", url: "x" },
  })

  const entries = (tree: string, ...flags: ReadonlyArray<string>) =>
    (git.text("ls-tree", "-z", ...flags, tree) ?? refuse(404, "Not Found")).split("\0").filter(Boolean).map((line) => {
      const [head = "", path] = line.split(/\t(.*)/s)
      const [mode, type, sha] = head.split(" ")
      return { path, mode, type, sha, url: "x" }
    })

  const contents = ({ query, values: [path = ""] }: Call) => {
    const commit = commitOf(query.get("ref") ?? "HEAD") ??
      refuse(404, `No commit found for the ref ${query.get("ref")}`)
    const sha = git.text("rev-parse", "--verify", "--quiet", `${commit}:${path}`) ?? refuse(404, "Not Found")
    if (git.text("cat-file", "-t", sha) === "tree") {
      return ok(entries(sha).map(({ path: name, sha }) => ({ type: "file", name, path: `${path}/${name}`, sha })))
    }
    const bytes = git(["cat-file", "blob", sha])
    const isSmall = bytes.length <= 1_000_000
    const content = isSmall ? bytes.toString("base64").replace(/.{1,60}/g, "$&\n") : ""
    const file = {
      type: "file",
      encoding: isSmall ? "base64" : "none",
      size: bytes.length,
      name: path,
      path,
      content,
      sha,
    }
    return ok({ ...file, url: "x", git_url: "x", html_url: "x", download_url: "x", _links: {} })
  }

  const makeTree = ({ fields }: Call) => {
    const list: ReadonlyArray<Record<string, string | null>> = Array.isArray(fields["tree"]) ? fields["tree"] : []
    const base = String(fields["base_tree"])
    const lines = list.map(({ content, mode, path, sha, type }) => {
      if (type !== "blob" || !/^100(644|755)$/.test(mode ?? "")) refuse(422, "tree.mode is not valid")
      if (sha === null) {
        if (git.text("rev-parse", "--verify", "--quiet", `${base}:${path}`) === undefined) {
          refuse(422, "GitRPC::BadObjectState")
        }
        return `0 ${"0".repeat(40)}\t${path}`
      }
      const hash = sha ?? git(["hash-object", "-w", "--stdin"], String(content)).toString().trim()
      return `${mode} ${hash}\t${path}`
    })
    const sha = git.writeTree(base, lines) ?? refuse(422, "GitRPC::BadObjectState")
    return { status: 201, body: { sha, url: "x", tree: entries(sha), truncated: false } }
  }

  const makeCommit = ({ fields }: Call) => {
    const parents = Array.isArray(fields["parents"]) ? fields["parents"].map(String) : []
    const args = ["commit-tree", String(fields["tree"]), ...parents.flatMap((parent) => ["-p", parent])]
    const author = { NAME: "A U Thor", EMAIL: "author@example.org" }
    const env = Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((role) =>
        Object.entries(author).map(([key, value]) => [`GIT_${role}_${key}`, value])
      ),
    )
    const sha = git(args, String(fields["message"]), env).toString().trim()
    const { commit, parents: all } = commitJson(sha)
    return { status: 201, body: { sha, node_id: "C_x", url: "x", ...commit, parents: all } }
  }

  const makeRef = ({ fields }: Call) => {
    const [ref, sha] = [String(fields["ref"]), String(fields["sha"])]
    if (git.text("check-ref-format", ref) === undefined) refuse(422, "Reference name is not valid")
    if (commitOf(sha) === undefined) refuse(422, "Object does not exist")
    if (git.text("show-ref", "--verify", ref) !== undefined) refuse(422, "Reference already exists")
    git(["update-ref", ref, sha, "0".repeat(40)])
    return { status: 201, body: refJson(ref) }
  }

  const moveRef = ({ fields, values: [name] }: Call) => {
    const ref = `refs/${name}`
    const old = git.text("rev-parse", "--verify", "--quiet", ref) ?? refuse(422, "Reference does not exist")
    const sha = String(fields["sha"])
    if (fields["force"] !== true && git.text("merge-base", "--is-ancestor", old, sha) === undefined) {
      refuse(422, "Update is not a fast forward")
    }
    git(["update-ref", ref, sha, old])
    return ok(refJson(ref))
  }

  const compare = ({ headers, query, values: [basehead = ""] }: Call) => {
    const [from = "", to = ""] = basehead.split("...")
    const [base, head] = [commitOf(from) ?? refuse(404, "Not Found"), commitOf(to) ?? refuse(404, "Not Found")]
    const merge = git.text("merge-base", base, head) ?? refuse(404, "No common ancestor")
    if (/\.diff\b/.test(headers["accept"] ?? "")) return ok(git(["diff", merge, head]))
    if (query.get("per_page") === null) refuse(500, "the whole comparison")
    const commits = (git.text("rev-list", `${base}..${head}`) ?? "").split("\n").filter(Boolean)
    return ok({
      url: "x",
      base_commit: commitJson(base),
      merge_base_commit: commitJson(merge),
      status: base === head ? "identical" : merge === base ? "ahead" : merge === head ? "behind" : "diverged",
      total_commits: commits.length,
      commits: [],
      files: [],
    })
  }

  const openPull = ({ fields }: Call) => {
    const [head, into] = [String(fields["head"]), String(fields["base"])]
    const errors = (error: object) =>
      refuse(422, "Validation Failed", { errors: [{ resource: "PullRequest", ...error }] })
    for (const [field, name] of [["head", head], ["base", into]] as const) {
      if (commitOf(`refs/heads/${name}`) === undefined) errors({ field, code: "invalid" })
    }
    if (pulls.some((pull) => pull.head === head && pull.base === into)) {
      errors({ code: "custom", message: `A pull request already exists for acme:${head}.` })
    }
    if (git.text("rev-list", "--count", `${into}..${head}`) === "0") {
      errors({ code: "custom", message: `No commits between ${into} and ${head}` })
    }
    const number = pulls.push({ number: pulls.length + 1, head, base: into })
    const url = `https://ghe.example.org/acme/site/pull/${number}`
    return {
      status: 201,
      body: { number, html_url: url, state: "open", draft: fields["draft"], title: fields["title"] },
    }
  }

  const routes = (origin: string): ReadonlyArray<Route> => [
    [
      "GET",
      new RegExp(`${base}$`),
      () => ok({ id: 1, full_name: "acme/site", default_branch: git.text("symbolic-ref", "--short", "HEAD") }),
    ],
    ["GET", new RegExp(`${base}/branches$`), (call) => {
      const text = git.text("for-each-ref", "--format=%(refname:lstrip=2)%00%(objectname)", "refs/heads") ?? ""
      const lines = text.split("\n").filter(Boolean).map((line) => line.split("\0"))
      const all = lines.map(([name, sha]) => ({ name, commit: { sha, url: "x" }, protected: false }))
      return page(all, call, origin, 30)
    }],
    ["GET", new RegExp(`${base}/commits$`), (call) => {
      if (isEmpty()) refuse(409, "Git Repository is empty.")
      const revision = call.query.get("sha") ?? "HEAD"
      const path = call.query.get("path")
      const commit = commitOf(revision) ?? refuse(404, "Not Found")
      const all = git.text("log", "--format=%H", commit, "--", ...(path === null ? [] : [path])) ?? ""
      const shas = all.split("\n").filter(Boolean)
      return page(shas.map(commitJson), call, origin, 30)
    }],
    ["GET", new RegExp(`${base}/commits/([^/]+)$`), ({ values: [revision = ""] }) => ok(commitJson(found(revision)))],
    ["GET", new RegExp(`${base}/compare/([^/]+)$`), compare],
    ["GET", new RegExp(`${base}/contents/([^/]+)$`), contents],
    ["GET", new RegExp(`${base}/git/blobs/([^/]+)$`), ({ values: [sha = ""] }) => {
      const bytes = git(["cat-file", "blob", sha])
      return ok({
        sha,
        size: bytes.length,
        encoding: "base64",
        content: bytes.toString("base64").replace(/.{1,60}/g, "$&\n"),
      })
    }],
    ["GET", new RegExp(`${base}/git/trees/([^/]+)$`), ({ query, values: [tree = ""] }) => {
      const sha = git.text("rev-parse", "--verify", "--quiet", `${tree}^{tree}`) ?? refuse(404, "Not Found")
      return ok({
        sha,
        url: "x",
        tree: entries(sha, ...(query.get("recursive") === null ? [] : ["-r", "-t"])),
        truncated: false,
      })
    }],
    ["GET", new RegExp(`${base}/git/commits/([0-9a-f]{40})$`), ({ values: [sha = ""] }) => {
      const { commit, parents } = commitJson(commitOf(sha) ?? refuse(404, "Not Found"))
      return ok({ sha, node_id: "C_x", url: "x", ...commit, parents })
    }],
    ["GET", new RegExp(`${base}/git/ref/(.+)$`), ({ values: [name] }) => {
      if (git.text("show-ref", "--verify", `refs/${name}`) === undefined) refuse(404, "Not Found")
      return ok(refJson(`refs/${name}`))
    }],
    ["POST", new RegExp(`${base}/git/blobs$`), ({ fields }) => {
      if (fields["encoding"] !== "base64") refuse(422, "encoding")
      const bytes = Buffer.from(String(fields["content"]), "base64")
      return { status: 201, body: { sha: git(["hash-object", "-w", "--stdin"], bytes).toString().trim(), url: "x" } }
    }],
    ["POST", new RegExp(`${base}/git/trees$`), makeTree],
    ["POST", new RegExp(`${base}/git/commits$`), makeCommit],
    ["POST", new RegExp(`${base}/git/refs$`), makeRef],
    ["PATCH", new RegExp(`${base}/git/refs/(.+)$`), moveRef],
    ["POST", new RegExp(`${base}/pulls$`), openPull],
  ]
  return serveHost(token, routes)
}
