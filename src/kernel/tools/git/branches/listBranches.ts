/** Lists branches. Source: git-branch(1). */
import type { CommandLine, Session } from "../Session.ts"
import { abbreviate, expandName } from "../history/revisions.ts"
import { aheadBehind, upstreamOf } from "../history/upstream.ts"
import type { Repository } from "../repository/Repository.ts"
import { subjectOf } from "../repository/objects.ts"
import { formatRef, matchesCommits, nameMatcher } from "./refListing.ts"

export const listBranches = async (git: Session, repository: Repository, line: CommandLine): Promise<void> => {
  const current = await repository.branch()
  const head = await repository.head()
  const matches = nameMatcher(line.has("list") ? line.operands : [])
  const rows: Array<{ readonly name: string; readonly oid: string; readonly mark: string; readonly branch?: string }> =
    []
  if (current === undefined && head !== undefined && !line.has("r")) {
    const log = await repository.refs.logOf("HEAD")
    const to = log.map(({ message }) => /^checkout: moving from .* to (.*)$/.exec(message)?.[1]).find((each) =>
      each !== undefined
    )
    const from = log.find(({ message }) => message.startsWith("checkout: moving from"))?.oid
    const name = to !== undefined && !/^[0-9a-f]{40}$/.test(to) && await expandName(repository, to) !== undefined
      ? (await expandName(repository, to) ?? to).replace(/^refs\/(?:tags|remotes)\//, "")
      : abbreviate(repository, from ?? head)
    rows.push({ name: `(HEAD detached ${from === head ? "at" : "from"} ${name})`, oid: head, mark: "*" })
  }
  if (!line.has("r")) {
    for (const [ref, oid] of await repository.refs.list("refs/heads/")) {
      const name = ref.slice("refs/heads/".length)
      if (matches(name) && await matchesCommits(repository, line, oid)) {
        rows.push({ name, oid, mark: name === current ? "*" : " ", branch: name })
      }
    }
  }
  if (line.has("r") || line.has("a")) {
    for (const [ref, oid] of await repository.refs.list("refs/remotes/")) {
      const short = ref.slice("refs/remotes/".length)
      const target = await repository.refs.target(ref)
      const name = (line.has("a") ? "remotes/" : "") + short +
        (target === undefined ? "" : ` -> ${target.replace("refs/remotes/", "")}`)
      if (matches(short) && await matchesCommits(repository, line, oid)) rows.push({ name, oid, mark: " " })
    }
  }
  const format = line.value("format")
  const width = Math.max(0, ...rows.map(({ name }) => name.replace(/ -> .*/, "").length))
  const count = line.all.filter(([name]) => name === "v").length
  for (const { branch, mark, name, oid } of rows) {
    if (format !== undefined) {
      git.printLine(
        formatRef(
          format,
          branch === undefined ? name : `refs/heads/${branch}`,
          oid,
          await repository.objects.commit(oid).then(({ message }) => subjectOf(message)),
          mark,
        ),
      )
    } else if (count === 0 || name.includes(" -> ")) git.printLine(`${mark} ${name}`)
    else {
      const upstream = branch === undefined ? undefined : await upstreamOf(repository, branch)
      const theirs = upstream === undefined ? undefined : await repository.refs.resolve(upstream.ref)
      let tracking = ""
      if (upstream !== undefined) {
        const [ahead, behind] = theirs === undefined ? [0, 0] : await aheadBehind(repository, oid, theirs)
        const parts = theirs === undefined
          ? ["gone"]
          : [...ahead > 0 ? [`ahead ${ahead}`] : [], ...behind > 0 ? [`behind ${behind}`] : []]
        const text = parts.join(", ")
        tracking = count > 1 ? `[${upstream.name}${text === "" ? "" : `: ${text}`}] ` : text === "" ? "" : `[${text}] `
      }
      git.printLine(
        `${mark} ${name.padEnd(width)} ${abbreviate(repository, oid)} ${tracking}${
          subjectOf((await repository.objects.commit(oid)).message)
        }`,
      )
    }
  }
}
