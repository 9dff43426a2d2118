/** Serves a repository as GitLab does: https://docs.gitlab.com/api/rest/, as the project `acme/site`. */
import { createHash } from "node:crypto"
import {
  type Answer,
  type Call,
  type HostServer,
  ok,
  page,
  refuse,
  type Route,
  serveHost,
  storedGit,
} from "./hostServer.ts"

const base = "^/api/v4/projects/(?:acme%2Fsite|7)"

export const serveGitLab = (root: string, token: string): Promise<HostServer> => {
  const git = storedGit(root)
  const requests: Array<{ readonly iid: number; readonly source: string; readonly target: string }> = []
  const commitOf = (revision: string) => git.text("rev-parse", "--verify", "--quiet", `${revision}^{commit}`)
  const head = () => git.text("symbolic-ref", "--short", "HEAD") ?? ""

  const known = new Map<string, object>()
  const commitJson = (id: string): object => {
    const before = known.get(id)
    if (before !== undefined) return before
    const shown = git.text("show", "-s", "--format=%an%x00%ae%x00%aI%x00%P%x00%B", id) ?? ""
    const [author_name, author_email, authored_date, parents = "", message = ""] = shown.split("\0")
    const commit = {
      id,
      short_id: id.slice(0, 8),
      created_at: authored_date,
      parent_ids: parents.split(" ").filter(Boolean),
      title: message.split("\n")[0],
      message,
      author_name,
      author_email,
      authored_date,
      committer_name: author_name,
      web_url: `https://gitlab.example.org/acme/site/-/commit/${id}`,
    }
    known.set(id, commit)
    return commit
  }

  const branchesJson = (pattern: string) => {
    const text = git.text("for-each-ref", "--format=%(refname:lstrip=2)%00%(objectname)%00%(HEAD)", pattern) ?? ""
    return text.split("\n").filter(Boolean).map((line) => {
      const [name, id = "", mark] = line.split("\0")
      return { name, commit: commitJson(id), merged: false, protected: false, default: mark === "*", web_url: "x" }
    })
  }
  const branchJson = (name: string) => branchesJson(`refs/heads/${name}`)[0] ?? refuse(404, "404 Branch Not Found")

  const fileAt = (path: string, ref: string) => {
    const commit = commitOf(ref) ?? refuse(404, "404 Commit Not Found")
    const blob = git.text("rev-parse", "--verify", "--quiet", `${commit}:${path}`)
    if (blob === undefined || git.text("cat-file", "-t", blob) !== "blob") return undefined
    const bytes = git(["cat-file", "blob", blob])
    return {
      commit,
      blob,
      bytes,
      mode: (git.text("ls-tree", commit, "--", path) ?? "").slice(0, 6),
      last: git.text("log", "-1", "--format=%H", commit, "--", path) ?? "",
      sha256: createHash("sha256").update(bytes).digest("hex"),
    }
  }

  const file = ({ method, query, values: [path = ""] }: Call): Answer => {
    const ref = query.get("ref") ?? refuse(400, "ref is missing")
    const at = fileAt(path, ref) ?? refuse(404, "404 File Not Found")
    const fields = {
      file_name: path.split("/").at(-1),
      file_path: path,
      size: at.bytes.length,
      encoding: "base64",
      content_sha256: at.sha256,
      ref,
      blob_id: at.blob,
      commit_id: at.commit,
      last_commit_id: at.last,
      execute_filemode: at.mode === "100755",
    }
    // A header is ASCII: of a path GitLab sends its name as well, which is not read here.
    const { file_name: _name, file_path: _path, ...plain } = fields
    const headers = Object.entries(plain).map((
      [name, value],
    ) => [`x-gitlab-${name.replaceAll("_", "-")}`, String(value)])
    return method === "HEAD"
      ? ok("", Object.fromEntries(headers))
      : ok({ ...fields, content: at.bytes.toString("base64") })
  }

  const commit = ({ fields }: Call): Answer => {
    const branch = String(fields["branch"])
    const tip = commitOf(`refs/heads/${branch}`)
    const start = fields["start_sha"] ?? fields["start_branch"]
    if (start !== undefined && tip !== undefined) {
      refuse(400, `A branch called '${branch}' already exists. Switch to that branch in order to make changes`)
    }
    const parent = start === undefined
      ? tip ?? refuse(400, "You can only create or edit files when you are on a branch")
      : commitOf(String(start)) ?? refuse(400, "Cannot find start_sha")
    const actions: ReadonlyArray<Record<string, unknown>> = Array.isArray(fields["actions"]) ? fields["actions"] : []
    let tree = git.text("rev-parse", `${parent}^{tree}`) ?? ""
    for (const { action, content, encoding, execute_filemode, file_path, last_commit_id } of actions) {
      const path = String(file_path)
      const known = (git.text("ls-tree", tree, "--", path) ?? "").split(/\s/)
      const isFile = known[1] === "blob"
      if (action === "create" && isFile) refuse(400, "A file with this name already exists")
      if (action === "create" && known[1] === "tree") refuse(400, "A directory with this name already exists")
      if (action !== "create" && !isFile) refuse(400, "A file with this name doesn't exist")
      if (last_commit_id !== undefined && last_commit_id !== fileAt(path, parent)?.last) {
        refuse(400, "You are attempting to update a file that has changed since you started editing it.")
      }
      const bytes = encoding === "base64" ? Buffer.from(String(content), "base64") : Buffer.from(String(content))
      const blob = content === undefined ? known[2] : git(["hash-object", "-w", "--stdin"], bytes).toString().trim()
      const mode = action === "chmod" ? (execute_filemode === true ? "100755" : "100644") : isFile ? known[0] : "100644"
      const line = action === "delete" ? `0 ${"0".repeat(40)}\t${path}` : `${mode} ${blob}\t${path}`
      tree = git.writeTree(tree, [line]) ?? refuse(400, "3:Invalid path")
    }
    const env = { GIT_AUTHOR_NAME: "A U Thor", GIT_AUTHOR_EMAIL: "author@example.org" }
    const both = { ...env, GIT_COMMITTER_NAME: "A U Thor", GIT_COMMITTER_EMAIL: "author@example.org" }
    const id = git(["commit-tree", tree, "-p", parent], String(fields["commit_message"]), both).toString().trim()
    git(["update-ref", `refs/heads/${branch}`, id, tip ?? "0".repeat(40)])
    return { status: 201, body: { ...commitJson(id), stats: { additions: 1, deletions: 0, total: 1 }, status: null } }
  }

  const compare = ({ query }: Call): Answer => {
    const [from, to] = ["from", "to"].map((name) => commitOf(query.get(name) ?? "") ?? refuse(404, "404 Ref Not Found"))
    if (query.get("straight") !== "true") refuse(500, "not straight")
    const raw = git(["diff", "--raw", "-z", "-M", "--abbrev=40", String(from), String(to)]).toString().split("\0")
    const diffs: Array<object> = []
    for (let at = 0; at < raw.length - 1;) {
      const [a = "", b_mode = "", , , kind = ""] = (raw[at++] ?? "").split(" ")
      const old_path = raw[at++] ?? ""
      const new_path = /^[RC]/.test(kind) ? raw[at++] ?? "" : old_path
      const text = git(["diff", "-M", String(from), String(to), "--", old_path, new_path]).toString()
      const hunks = text.search(/^(@@ |Binary files )/m)
      diffs.push({
        diff: hunks < 0 ? "" : text.slice(hunks),
        old_path,
        new_path,
        a_mode: kind === "A" ? "0" : a.slice(1),
        b_mode: kind === "D" ? "0" : b_mode,
        new_file: kind === "A",
        renamed_file: kind.startsWith("R"),
        deleted_file: kind === "D",
        collapsed: false,
        too_large: false,
      })
    }
    return ok({
      commit: commitJson(String(to)),
      commits: [],
      diffs,
      compare_timeout: false,
      compare_same_ref: from === to,
    })
  }

  const merge = ({ fields }: Call): Answer => {
    const [source, target] = [String(fields["source_branch"]), String(fields["target_branch"])]
    for (const [side, name] of [["Source", source], ["Target", target]] as const) {
      if (commitOf(`refs/heads/${name}`) === undefined) refuse(400, [`${side} branch "${name}" does not exist`])
    }
    const open = requests.find((one) => one.source === source && one.target === target)
    if (open !== undefined) {
      refuse(409, [`Another open merge request already exists for this source branch: !${open.iid}`])
    }
    const iid = requests.push({ iid: requests.length + 1, source, target })
    const web_url = `https://gitlab.example.org/acme/site/-/merge_requests/${iid}`
    return { status: 201, body: { id: 90 + iid, iid, project_id: 7, title: fields["title"], state: "opened", web_url } }
  }

  const routes = (origin: string): ReadonlyArray<Route> => [
    ["GET", new RegExp(`${base}$`), () => ok({ id: 7, path_with_namespace: "acme/site", default_branch: head() })],
    ["GET", new RegExp(`${base}/repository/branches$`), (call) => page(branchesJson("refs/heads"), call, origin, 20)],
    ["GET", new RegExp(`${base}/repository/branches/([^/]+)$`), ({ values: [name = ""] }) => ok(branchJson(name))],
    ["POST", new RegExp(`${base}/repository/branches$`), ({ fields }) => {
      const [name, ref] = [String(fields["branch"]), String(fields["ref"])]
      if (commitOf(`refs/heads/${name}`) !== undefined) refuse(400, "Branch already exists")
      if (git.text("check-ref-format", `refs/heads/${name}`) === undefined) refuse(400, "Branch name is invalid")
      const commit = commitOf(ref) ?? refuse(400, `Invalid reference name: ${ref}`)
      git(["update-ref", `refs/heads/${name}`, commit, "0".repeat(40)])
      return { status: 201, body: branchJson(name) }
    }],
    ["GET", new RegExp(`${base}/repository/commits$`), (call) => {
      const path = call.query.get("path")
      const revision = call.query.get("ref_name") ?? head()
      const commit = commitOf(revision) ?? refuse(404, "404 Commit Not Found")
      const all = git.text("log", "--format=%H", commit, "--", ...(path === null ? [] : [path])) ?? ""
      return page(all.split("\n").filter(Boolean).map(commitJson), call, origin, 20)
    }],
    [
      "GET",
      new RegExp(`${base}/repository/commits/([^/]+)$`),
      ({ values: [revision = ""] }) => ok(commitJson(commitOf(revision) ?? refuse(404, "404 Commit Not Found"))),
    ],
    ["POST", new RegExp(`${base}/repository/commits$`), commit],
    ["GET", new RegExp(`${base}/repository/compare$`), compare],
    ["GET", new RegExp(`${base}/repository/files/([^/]+)$`), file],
    ["GET", new RegExp(`${base}/repository/tree$`), (call) => {
      const commit = commitOf(call.query.get("ref") ?? head()) ?? refuse(404, "404 Tree Not Found")
      const flags = call.query.get("recursive") === "true" ? ["-r", "-t"] : []
      const lines = (git.text("ls-tree", "-z", ...flags, commit) ?? "").split("\0").filter(Boolean)
      const all = lines.map((line) => {
        const [head = "", path = ""] = line.split(/\t(.*)/s)
        const [mode, type, id] = head.split(" ")
        return { id, name: path.split("/").at(-1), type, path, mode }
      })
      return page(all, call, origin, 20)
    }],
    ["POST", new RegExp(`${base}/merge_requests$`), merge],
  ]
  return serveHost(token, routes)
}
