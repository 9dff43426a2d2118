/** `git grep`. Source: git-grep(1). */
import { textToBinary } from "../../../binaryString.ts"
import { Regex } from "../../../regex/Regex.ts"
import { fatal } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { isBinaryContent, linesOf } from "../diff/textLines.ts"
import { peel, resolveRevision } from "../history/revisions.ts"
import { quotePath } from "../quotePath.ts"
import { parsePathspec } from "../worktree/Pathspec.ts"

export const grep: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse(
    "grep",
    "e: i|ignore-case n|line-number l|files-with-matches|name-only L|files-without-match c|count w|word-regexp v|invert-match E|extended-regexp F|fixed-strings G|basic-regexp H h q|quiet cached P|perl-regexp I A: B: C: o|only-matching untracked max-depth: heading break p W and or not O color:: no-color a",
    args,
  )
  line.refuse("P A B C o untracked max-depth heading break p W and or not O color", "use rg")
  const operands = [...line.operands]
  const patterns = line.has("e") ? line.values("e") : [operands.shift() ?? fatal("no pattern given")]
  let tree: string | undefined
  const [first] = operands
  if (first !== undefined && await resolveRevision(repository, first) !== undefined) {
    tree = await peel(repository, await resolveRevision(repository, first) ?? "", "tree")
    operands.shift()
  }
  const regex = new Regex(patterns.map(textToBinary), {
    fixed: line.has("F"),
    extended: line.has("E"),
    ignoreCase: line.has("i"),
    ...line.has("w") ? { whole: "word" as const } : {},
  })
  const given = [...operands, ...line.paths ?? []]
  const pathspec = parsePathspec(repository, given.length === 0 && repository.prefix !== "" ? ["."] : given)
  const index = await repository.index()
  const paths = tree === undefined
    ? index.entries.filter(({ stage }) => stage === 0).map(({ path }) => path)
    : [...(await repository.objects.files(tree)).keys()]
  const files = tree === undefined ? undefined : await repository.objects.files(tree)
  let found = false
  for (const path of paths) {
    await git.pause()
    if (!pathspec.matches(path)) continue
    const entry = files?.get(path) ?? index.get(path)
    const bytes = tree !== undefined || line.has("cached")
      ? entry === undefined || entry.mode === 0o160000 ? undefined : await repository.objects.blob(entry.oid)
      : (await repository.readWorktree(path))?.bytes
    if (bytes === undefined) continue
    const isBinary = isBinaryContent(bytes) && !line.has("a")
    if (isBinary && line.has("I")) continue
    const name = (tree === undefined ? "" : `${first}:`) + quotePath(repository.relative(path))
    let count = 0
    for (const [at, text] of linesOf(bytes).entries()) {
      const bare = text.endsWith("\n") ? text.slice(0, -1) : text
      const matches = await regex.test(git.system, bare)
      if (matches === line.has("v")) continue
      count++
      found = true
      if (line.has("q")) return 0
      if (line.has("l") || line.has("L") || line.has("c")) continue
      if (isBinary) {
        git.printLine(`Binary file ${name} matches`)
        break
      }
      git.out.putBinary(`${line.has("h") ? "" : `${textToBinary(name)}:`}${line.has("n") ? `${at + 1}:` : ""}${bare}\n`)
      await git.pause()
    }
    if (line.has("l") && count > 0) git.printLine(name)
    if (line.has("L") && count === 0) git.printLine(name)
    if (line.has("c") && count > 0) git.printLine(`${name}:${count}`)
  }
  return found ? 0 : 1
}
