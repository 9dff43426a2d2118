/** Declares the Schema class of an access policy, and applies it to a shell. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { firstIssue } from "../base/firstIssue.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { AccessPolicyError } from "./AccessPolicyError.ts"
import { type AccessPolicyFields, accessPolicyFields, closedStruct } from "./accessPolicyFields.ts"
import type { ExplainedCommand } from "./ExplainedCommand.ts"
import { explain } from "./explain.ts"
import { guardShell } from "./guardShell.ts"
import { Shell } from "../shell/Shell.ts"
import { type AccessRisk, listRisks, listUnbounded } from "./risks.ts"
import type { ShellService } from "../shell/ShellService.ts"

const fields: Schema.Struct<AccessPolicyFields> = closedStruct(accessPolicyFields)

const Base: Schema.Class<AccessPolicy, Schema.Struct<AccessPolicyFields>, {}> = Schema.Class<AccessPolicy>(
  "AccessPolicy",
)(fields)

/** Options that refuse unknown keys, for constructors. */
const closed = (options: Schema.MakeOptions | undefined): Schema.MakeOptions => ({
  ...options,
  parseOptions: { onExcessProperty: "error", ...options?.parseOptions },
})

/** The error of a policy that its Schema refuses; other thrown values are rethrown. */
const invalidPolicy = (error: unknown): AccessPolicyError => {
  const issue = error instanceof Error && SchemaIssue.isIssue(error.cause) ? error.cause : undefined
  if (issue === undefined) throw error
  const { message: what = "not an access policy", path } = firstIssue({ issue })
  const message = `access: ${path.join(".") || "the policy"} is invalid: ${what} (INVALID)`
  return new AccessPolicyError({ field: path[0] ?? "policy", message })
}

const splitList = (list: string): ReadonlyArray<string> =>
  list.split(",").map((item) => item.trim()).filter((item) => item !== "")

/** Checks settings before a policy is made, so that the error is typed. */
const checked = <Input extends ConstructorParameters<typeof Base>[0]>(
  input: Input,
  options: Schema.MakeOptions | undefined,
): Input => {
  try {
    fields.make(input, closed(options))
    return input
  } catch (error) {
    throw invalidPolicy(error)
  }
}

/**
 * A policy limits the programs, directories, variables and run times of callers' commands. It is a value, and decodes from
 * JSON except for `argumentRules`.
 *
 * - `allowedCommands`: names, absolute paths, or `*` for all. Nothing else runs. A name means the one file that the server's
 *   search path finds; another path, or another name of that file, is another command.
 * - `allowedCwdRoots`: directories that must contain the working directory that a caller names; compared as canonical paths.
 *   Default: any existing directory. A missing root refuses every request that names it.
 * - `defaultCwd`: the directory of commands that name none, within the roots. Default: the leaf's.
 * - `environment`: names that callers may set (`allow`; default: all) and may not (`deny`), `*` for any characters. A
 *   variable of {@link deniedVariables} is refused in any case, unless `allow` has its full name. `inherit` lists the
 *   server's variables that commands inherit; default: {@link servedVariables}, without secrets.
 * - `argumentRules`: a Schema that the arguments of a command must match, by command.
 * - `redirects`: the files of a script's redirections besides those below `allowedCwdRoots`, which are read: `"none"` (the
 *   default; `/dev/null` and descriptors always may), `"read"` (all files are read), `"roots"` (files below the roots are
 *   written too, but none that git, editors or shells would run later) or `"all"`.
 * - `code`: whether interpreters in the list may be given code as an argument or on stdin (`bash -c`, `python -c`,
 *   `node -e`). Default: `"allow"`; then a caller that may run one may run anything.
 * - `defaultTimeout`, `maxTimeout`: the timeout of commands that name none, and the longest that a command may name.
 *   Default: none; without a default timeout the maximum applies.
 * - `maxOutputBytes`: the maximum bytes of each output stream that a command may keep, and the default.
 * - `searchPath`: the directories in which names are looked up: absolute, separated by colons (Windows: semicolons).
 *   Default: the PATH of this process.
 * - `readable`: folders outside of the roots that scripts may read, too; absolute paths. Default: none.
 * - `utilities`: which programs `ls`, `cat`, `grep`, `sed`, `find`, `sort` and the like are: the machine's (`"host"`, the
 *   default), or the shell's own (`"contained"`), which start no process, and with roots reach no other files.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { AccessPolicy } from "@sluice/shell/access"
 * import { Effect } from "effect"
 *
 * const policy = AccessPolicy.make({ allowedCommands: ["echo"] })
 * const shell = AccessPolicy.guard(policy)(LocalShell.layer)
 *
 * const output = await Effect.runPromise(Shell.run(ShellExec.make("echo", ["hi"])).pipe(Effect.provide(shell)))
 * console.log(output.stdout) // hi
 *
 * const python = Shell.run(ShellExec.make("python3", ["-V"])).pipe(Effect.flip, Effect.provide(shell))
 * const { message } = await Effect.runPromise(python)
 * console.log(message) // exec: python3 is not among the allowed commands (NOT_ALLOWED)
 * ```
 */
export class AccessPolicy extends Base {
  /**
   * Makes a policy, as `AccessPolicy.make` does.
   *
   * @throws {AccessPolicyError} for a setting that is unknown, missing or invalid.
   */
  constructor(input: ConstructorParameters<typeof Base>[0], options?: Schema.MakeOptions) {
    super(checked(input, options), options)
  }

  /**
   * Makes a policy. An unknown setting is refused, here and where a policy is decoded: a misspelt one would leave its bound
   * open.
   *
   * @throws {AccessPolicyError} for a setting that is unknown, missing or invalid.
   */
  static override make(input: Parameters<typeof Base.make>[0], options?: Schema.MakeOptions): AccessPolicy {
    try {
      return super.make(input, closed(options))
    } catch (error) {
      throw invalidPolicy(error)
    }
  }

  /**
   * The policy that two variables describe: `ALLOWED_COMMANDS` and `ALLOWED_CWD_ROOTS`, with commas between their items.
   * Without the first nothing runs; with the second unset or empty any directory may be named. Fails for an item that is
   * neither a name, nor an absolute path, nor `*`.
   *
   * @example
   * ```ts
   * import { AccessPolicy } from "@sluice/shell/access"
   * import { ConfigProvider, Effect } from "effect"
   *
   * const provider = ConfigProvider.fromEnvRecord({ ALLOWED_COMMANDS: "ls, cat" })
   * const policy = Effect.runSync(AccessPolicy.config.parse(provider))
   * console.log(policy.allowedCommands.join(), policy.allowedCwdRoots) // ls,cat undefined
   * ```
   */
  static readonly config: Config.Config<AccessPolicy> = Config.all({
    commands: Config.withDefault(Config.String("ALLOWED_COMMANDS"), ""),
    roots: Config.withDefault(Config.String("ALLOWED_CWD_ROOTS"), ""),
  }).pipe(Config.mapEffect(({ commands, roots }) =>
    Schema.decodeUnknownEffect(AccessPolicy)({
      allowedCommands: splitList(commands),
      ...(roots.trim() === "" ? undefined : { allowedCwdRoots: splitList(roots) }),
    }).pipe(Effect.mapError((error) => new Config.ConfigError(error)))
  ))

  /**
   * The entries of a policy's list with which a caller may run anything, so that the list bounds nothing: `*`,
   * interpreters (`bash`, `python3`), and programs that run commands from their files or input (`npm`, `make`,
   * `docker`, `vim`, `sftp`). With `code: "refuse"` only `*` remains. Unknown programs, git, and pairs of commands are
   * not included; see {@link AccessPolicy.risks}.
   *
   * @example
   * ```ts
   * import { AccessPolicy } from "@sluice/shell/access"
   *
   * const policy = AccessPolicy.make({ allowedCommands: ["git", "npm", "ls", "python3.11"] })
   * console.log(AccessPolicy.unbounded(policy).join()) // npm,python3.11
   * ```
   */
  static unbounded(policy: AccessPolicy): ReadonlyArray<string> {
    return listUnbounded(policy)
  }

  /**
   * The risks that a policy's list leaves open, for a warning at the start: commands that bound nothing, programs that
   * git runs because a repository's settings name them, and commands that write files together with commands that
   * execute files (`sed` and `make`).
   *
   * @example
   * ```ts
   * import { AccessPolicy } from "@sluice/shell/access"
   *
   * const [settings, pair] = AccessPolicy.risks(AccessPolicy.make({ allowedCommands: ["git", "sed", "ls"] }))
   * console.log(settings?._tag) // RepositorySettings
   * console.log(pair?.message) // files that sed -i can write determine what git will run
   * ```
   */
  static risks(policy: AccessPolicy): ReadonlyArray<AccessRisk> {
    return listRisks(policy)
  }

  /**
   * The policy's decision about a command, or about each command of a script, without running any. The commands of a script
   * are listed in the order of its text, including those under `if` and `||`, with the redirections that are refused or
   * unknown. If no entry is `Refused` or `Unknown`, a run refuses no program and no redirection, except for git in a
   * repository whose settings name programs. Files and programs are looked up on the shell of the context.
   *
   * Fails, as a run does, for a refused directory, variable or limit, and for a script with a syntax error.
   *
   * @example
   * ```ts
   * import { LocalShell, ShellExec } from "@sluice/shell"
   * import { AccessPolicy } from "@sluice/shell/access"
   * import { Effect } from "effect"
   *
   * const policy = AccessPolicy.make({ allowedCommands: ["ls"] })
   * const script = ShellExec.shell("ls -l\ncurl x.org | ls $HOME")
   * const explained = await Effect.runPromise(
   *   AccessPolicy.explain(policy, script).pipe(Effect.provide(LocalShell.layer)),
   * )
   * const lines = explained.map(({ command, decision, position }) => `${position?.line} ${decision._tag} ${command}`)
   * console.log(lines.join("; ")) // 1 Allowed ls -l; 2 Refused curl x.org; 2 Unknown ls $HOME
   * ```
   */
  static explain(
    policy: AccessPolicy,
    exec: ShellExec,
  ): Effect.Effect<ReadonlyArray<ExplainedCommand>, ShellFault | AccessPolicyError, Shell> {
    return Effect.flatMap(Shell, (shell) => explain(policy, exec, shell))
  }

  /**
   * Guards a leaf with the policy: `LocalShell.layer.pipe(AccessPolicy.guard(policy))`; the leaf may be the first
   * argument.
   */
  static readonly guard: {
    (policy: AccessPolicy): <E, R>(leaf: Layer.Layer<Shell, E, R>) => Layer.Layer<Shell, E | AccessPolicyError, R>
    <E, R>(leaf: Layer.Layer<Shell, E, R>, policy: AccessPolicy): Layer.Layer<Shell, E | AccessPolicyError, R>
  } = dual(
    2,
    <E, R>(leaf: Layer.Layer<Shell, E, R>, policy: AccessPolicy): Layer.Layer<Shell, E | AccessPolicyError, R> =>
      Layer.provide(AccessPolicy.layer(policy), leaf),
  )

  /** The shell of the context, guarded by the policy. */
  static layer(policy: AccessPolicy): Layer.Layer<Shell, AccessPolicyError, Shell> {
    return Layer.effect(Shell, Effect.flatMap(Shell, AccessPolicy.guardService(policy)))
  }

  /** Guards a service. Fails if the policy is invalid, or if the leaf cannot enforce it. */
  static readonly guardService: {
    (policy: AccessPolicy): (shell: ShellService) => Effect.Effect<ShellService, AccessPolicyError>
    (shell: ShellService, policy: AccessPolicy): Effect.Effect<ShellService, AccessPolicyError>
  } = dual(2, (shell: ShellService, policy: AccessPolicy): Effect.Effect<ShellService, AccessPolicyError> => {
    // Even in TypeScript, a plain object with the same members is accepted as a policy, whatever other keys it has.
    if (policy instanceof AccessPolicy) return guardShell(policy, shell)
    return Effect.andThen(
      Effect.try({
        try: () => AccessPolicy.make(policy),
        catch: (error) => error instanceof AccessPolicyError ? error : invalidPolicy(error),
      }),
      guardShell(policy, shell),
    )
  })
}
