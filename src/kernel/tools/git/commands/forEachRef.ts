/** `git for-each-ref`. Source: git-for-each-ref(1). */
import type { Command } from "../Session.ts"
import { formatRef, readRefRow, type RefRow, sortRefRows } from "../branches/refListing.ts"

export const forEachRef: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("for-each-ref", "format: count: sort: points-at: merged:: contains::", args)
  line.refuse("points-at merged contains", "use git branch")
  const rows: Array<RefRow> = []
  for (const [name, oid] of await repository.refs.list()) {
    if (
      line.operands.length > 0 &&
      !line.operands.some((pattern) =>
        name === pattern || name.startsWith(pattern.endsWith("/") ? pattern : `${pattern}/`)
      )
    ) continue
    rows.push(await readRefRow(repository, name, oid))
  }
  const count = Number(line.value("count") ?? Infinity)
  const current = await repository.refs.target("HEAD")
  for (const { name, oid, subject, type } of sortRefRows(rows, line.value("sort")).slice(0, count)) {
    const format = line.value("format")
    git.printLine(
      format === undefined
        ? `${oid} ${type}\t${name}`
        : formatRef(format.replaceAll("%(objecttype)", type), name, oid, subject, name === current ? "*" : " "),
    )
  }
}
