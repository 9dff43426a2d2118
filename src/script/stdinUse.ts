/**
 * Decides which commands read their stdin, which they share with the script around them: in `while read f; do git log
 * "$f"; done < list` git does not read, and bytes that were written into its pipe cannot be taken back. A command gets
 * an empty input if it is known not to read. So does an unknown command once the script itself has read from the input.
 */

/** Programs that read the files among their operands, or stdin if there are none. */
const filters: ReadonlySet<string> = new Set(
  `awk base32 base64 cat cksum cut egrep expand fgrep fmt fold grep gunzip gzip head iconv jq less md5sum more nl od
  paste perl pr rev sed sha1sum sha256sum sha512sum shasum shuf sort split sqlite3 sum tac tail tsort unexpand uniq wc
  xxd yq zcat`.split(/\s+/),
)

/** Programs that read stdin whatever their operands are. */
const readers: ReadonlySet<string> = new Set("bc psql ssh tee tr xargs".split(" "))

const shells: ReadonlySet<string> = new Set(["bash", "dash", "sh"])

const gitCommands: ReadonlySet<string> = new Set(
  `am apply column fast-import fmt-merge-msg get-tar-commit-id interpret-trailers mailinfo mktag mktree pack-objects
  patch-id shortlog stripspace unpack-objects`.split(/\s+/),
)

/** Whether git's subcommand reads stdin: in `git -C apply log` it does not. */
const gitReads = (args: ReadonlyArray<string>): boolean => {
  const command = args.find((word, at) =>
    !word.startsWith("-") && !/^(?:-[Cc]|--(?:git-dir|work-tree|namespace|config-env))$/.test(args[at - 1] ?? "")
  )
  return gitCommands.has(command ?? "") || args.includes("--index-info")
}

const silent: ReadonlySet<string> = new Set(
  `basename chmod chown cp curl date df dirname du echo false find hostname id kill ln ls make mkdir mktemp mv printenv
  printf ps pwd readlink realpath rm rmdir seq sleep stat test touch true uname wget which whoami`.split(/\s+/),
)

/** The known use of a command's stdin. */
export type StdinUse = "reads" | "ignores" | "unknown"

/** Determines how a command uses its stdin. `isFile` says which arguments are files, as far as that is known. */
export const stdinUse = (
  name: string,
  args: ReadonlyArray<string>,
  isFile: (path: string) => boolean | undefined,
): StdinUse => {
  const program = name.slice(name.lastIndexOf("/") + 1)
  if (args.some((word) => word === "-" || word === "/dev/stdin" || /^--(?:stdin|batch)/.test(word))) return "reads"
  if (program === "git") return gitReads(args) ? "reads" : "ignores"
  if (silent.has(program)) return "ignores"
  if (readers.has(program) || (shells.has(program) && args.length === 0)) return "reads"
  if (!filters.has(program)) return "unknown"
  const operands = args.filter((word) => !word.startsWith("-")).map(isFile)
  if (operands.includes(true)) return "ignores"
  return operands.includes(undefined) ? "unknown" : "reads"
}
