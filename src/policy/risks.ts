/** Lists the risks that the allowed commands of a policy leave open. */
import type { AccessPolicySettings } from "./accessPolicyFields.ts"
import type { LauncherRule } from "./launchers/LauncherRule.ts"
import { findLauncher } from "./launchers/launcherTable.ts"
import { findWriter } from "./launchers/fileWriters.ts"
import { normalizeCommandName } from "./normalizeCommandName.ts"

/** A capability that the list gives to callers without naming it. */
export interface AccessRisk {
  /**
   * - `Unbounded`: these commands can run anything.
   * - `RepositorySettings`: git runs programs that settings of other repositories name, and writes files of a working tree.
   * - `WritesWhatRuns`: with one command a caller writes a file that another command executes.
   */
  readonly _tag: "Unbounded" | "RepositorySettings" | "WritesWhatRuns"
  /** Entries of the list; also `redirections`, where scripts may write files by them. */
  readonly commands: ReadonlyArray<string>
  /** One sentence, without a full stop. */
  readonly message: string
}

const nameOf = (entry: string): string => normalizeCommandName(entry, entry.includes("\\") ? "windows" : "posix")

const launcher = (entry: string): LauncherRule | undefined => findLauncher(nameOf(entry), undefined)

/** Entries with which a caller may run anything: `*`, interpreters, and programs that run commands from their files. */
export const listUnbounded = ({ allowedCommands, code }: AccessPolicySettings): ReadonlyArray<string> =>
  allowedCommands.filter((entry) => entry === "*" || (code !== "refuse" && launcher(entry)?.([])._tag === "Code"))

/**
 * Whether a caller may run anything through one entry of the list, with any arguments. Restrictions that only keep a
 * script from running other programs are then useless. An argument rule may bound such an entry.
 */
export const boundsNothing = (policy: AccessPolicySettings): boolean => {
  const ruled = new Set(Object.keys(policy.argumentRules ?? {}).map((name) => normalizeCommandName(name, "posix")))
  return policy.code !== "refuse" &&
    listUnbounded(policy).some((entry) =>
      !ruled.has(normalizeCommandName(entry, "posix")) && (entry !== "*" || ruled.size === 0)
    )
}

/** Whether a program executes the content of a file that a caller may have written. */
const runsFiles = (entry: string, { code }: AccessPolicySettings): boolean => {
  if (nameOf(entry) === "git") return true
  const known = launcher(entry)
  // If code is refused, interpreters may still run files.
  return known?.([])._tag === "Code" && (code !== "refuse" || known(["file"])._tag === "Plain")
}

const maxNamed = 5

const named = (names: ReadonlyArray<string>): string =>
  names.slice(0, maxNamed).join(", ") + (names.length > maxNamed ? ", …" : "")

export const listRisks = (policy: AccessPolicySettings): ReadonlyArray<AccessRisk> => {
  const { allowedCommands, redirects } = policy
  const risks: Array<AccessRisk> = []
  const unbounded = listUnbounded(policy)
  if (unbounded.length > 0) {
    risks.push({
      _tag: "Unbounded",
      commands: unbounded,
      message: `the allowed commands restrict nothing: a caller that may run ${named(unbounded)} can run anything` +
        (boundsNothing(policy) ? ", so scripts may run what these could run" : ""),
    })
  }
  if (allowedCommands.includes("*")) return risks
  const git = allowedCommands.filter((entry) => nameOf(entry) === "git")
  if (git.length > 0) {
    risks.push({
      _tag: "RepositorySettings",
      commands: git,
      message:
        "git runs programs that the settings of a repository name: these are off, in submodules too (hooks, filters, " +
        "drivers, helpers, pagers, aliases, ext::); and patches and branches let git write any file of a working tree, such " +
        "as .envrc or .vscode; --isolated is the boundary",
    })
  }
  const runners = allowedCommands.filter((entry) => runsFiles(entry, policy))
  const writing = allowedCommands.flatMap((entry) => {
    const by = findWriter(nameOf(entry))
    // The risks of git alone are reported above.
    return by === undefined || runners.every((runner) => runner === entry) ? [] : [{ entry, by }]
  })
  const redirections = redirects === "all" || redirects === "roots" ? ["redirections"] : []
  if (runners.length > 0 && writing.length + redirections.length > 0) {
    risks.push({
      _tag: "WritesWhatRuns",
      commands: [...new Set([...writing.map(({ entry }) => entry), ...redirections, ...runners])],
      message: `files that ${named([...writing.map(({ by }) => by), ...redirections])} can write determine what ${
        named(runners)
      } will run`,
    })
  }
  return risks
}
