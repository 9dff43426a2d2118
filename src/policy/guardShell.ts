/** Wraps a shell service so that a policy decides about each command before it runs. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { quoteIfNeeded } from "../base/quote.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { ShellCapabilities } from "../shell/ShellCapabilities.ts"
import type { LeafRunOptions, ResolvedCommand, ShellService } from "../shell/ShellService.ts"
import { AccessPolicyError } from "./AccessPolicyError.ts"
import { decide, type Decision } from "./decide.ts"
import { withGitGuard } from "./gitGuard.ts"
import type { KeptFiles } from "./gitSettings.ts"
import { makeScriptRuns } from "../script/makeScriptRuns.ts"
import { allowDirectory, isWithinRoot, makeRoots } from "./allowDirectory.ts"
import type { LeafFiles } from "../shell/LeafFiles.ts"
import { applyLimits, planLimited, runsInOwnShell } from "./ownShellScripts.ts"
import { notAllowed, toShellFault } from "./PolicyRefusal.ts"
import { unboundedTerminals } from "./unboundedTerminals.ts"
import type { AccessPolicySettings } from "./accessPolicyFields.ts"
import { type CompiledRules, compileRules } from "./CompiledRules.ts"

/** The error of a default directory that is not allowed. */
const defaultCwdError = (policy: AccessPolicySettings, files: LeafFiles): AccessPolicyError | undefined => {
  const roots = policy.allowedCwdRoots === undefined ? undefined : makeRoots(files, policy.allowedCwdRoots)
  const allowed = allowDirectory(files, roots, policy.defaultCwd ?? ".")
  if (Result.isSuccess(allowed)) return undefined
  return new AccessPolicyError({
    field: "defaultCwd",
    message: `access: the default directory ${quoteIfNeeded(policy.defaultCwd ?? ".")}: ${
      allowed.failure.message.replace(/^exec: /, "")
    }`,
  })
}

export const unenforceable = (policy: AccessPolicySettings, shell: ShellService): AccessPolicyError | undefined => {
  const { isolated, leaf } = shell.capabilities
  const { allowedCwdRoots, readable = [], utilities } = policy
  if (utilities === "contained" && allowedCwdRoots === undefined && readable.length > 0 && !isolated) {
    // Such utilities can open all files of the machine: a link in a readable folder would lead the shell to them.
    const message = "access: contained utilities read only below roots: set allowedCwdRoots with readable"
    return new AccessPolicyError({ field: "readable", message })
  }
  if (shell.files !== undefined) {
    return policy.defaultCwd === undefined ? undefined : defaultCwdError(policy, shell.files)
  }
  if ((allowedCwdRoots?.length ?? 0) > 0) {
    const message = `access: working directories cannot be checked on the leaf ${leaf} (NO_FILES)`
    return new AccessPolicyError({ field: "allowedCwdRoots", message })
  }
  return undefined
}

/** Reads the limits only on demand, because that searches for programs. */
const withoutTerminals = (all: ShellCapabilities): ShellCapabilities => {
  const { backPressure, escapees, exactOrder, groupKill, isolated, leaf, orphans, platform, resolvesPath } = all
  return {
    ...{ backPressure, escapees, exactOrder, groupKill, isolated, leaf, orphans, platform, resolvesPath },
    get limits() {
      return all.limits
    },
    pty: false,
  }
}

/** Checks whether files are outside of the current roots, where commands cannot write. */
const keptFiles = ({ files, roots }: CompiledRules): KeptFiles => {
  /** Empty where the roots cannot be read: then no path counts as inside, and no file as kept. */
  const allowed = (): ReadonlyArray<string> | undefined =>
    roots === undefined ? undefined : Result.getOrElse(roots(), (): ReadonlyArray<string> => [])
  const isInside = (path: string): boolean => allowed()?.some((root) => isWithinRoot(path, root)) ?? true
  const isKept = (path: string | undefined): boolean => {
    const real = path === undefined ? undefined : files?.realPath(path)
    return real !== undefined && (allowed() ?? []).length > 0 && !isInside(real)
  }
  return {
    realPath: (path) => files?.realPath(path),
    isKept,
    isInside,
    isRoot: (path) => allowed()?.includes(path) ?? false,
    get keepsHome() {
      return isKept(files?.variable("HOME") ?? files?.variable("USERPROFILE"))
    },
  }
}

const guarded = (shell: ShellService, rules: CompiledRules): ShellService => {
  // On an isolated leaf git may run the programs that a repository names.
  const leaf = rules.commands.any || shell.capabilities.isolated ? shell : withGitGuard(shell, keptFiles(rules))
  const noTerminals = unboundedTerminals(rules.policy, shell)
  const scripts = makeScriptRuns(leaf, (exec) => Effect.sync(() => planLimited(exec, rules, leaf)))
  const runsHere = (exec: ShellExec): boolean => runsInOwnShell(exec, rules)
  // The decision about a command that was resolved for its journal entry is not repeated: the spawn compares the
  // checked files.
  const decided = new WeakMap<ResolvedCommand, { readonly exec: ShellExec; readonly decision: Decision }>()
  const runDecided = <A>(
    exec: ShellExec,
    options: LeafRunOptions | undefined,
    run: (service: Pick<ShellService, "exec" | "bytes">, exec: ShellExec, options: LeafRunOptions) => Stream.Stream<
      A,
      ShellFault
    >,
  ): Stream.Stream<A, ShellFault> =>
    Stream.suspend(() => {
      const refused = options?.terminal === undefined
        ? undefined
        : exec.useShell && runsHere(exec)
        ? "with a list of allowed commands, a script has no terminal"
        : noTerminals
      if (refused !== undefined) {
        const issue = `${quoteIfNeeded(exec.command)} may not have a terminal: ${refused}`
        return Stream.fail(toShellFault(exec.commandId, notAllowed("terminal", exec.command, issue)))
      }
      // On a terminal a utility is the machine's.
      if (runsHere(exec) && options?.terminal === undefined) {
        const script = applyLimits(exec, rules)
        return Result.isFailure(script)
          ? Stream.fail(script.failure)
          : run(scripts, script.success.exec, { ...options })
      }
      const known = options?.resolved === undefined ? undefined : decided.get(options.resolved)
      const decision = known?.exec === exec ? Result.succeed(known.decision) : decide(exec, rules)
      return Result.isFailure(decision)
        ? Stream.fail(decision.failure)
        : run(leaf, decision.success.exec, { ...options, constraints: decision.success.pinned })
    })
  const { resolve } = shell
  return {
    ...shell,
    capabilities: noTerminals === undefined ? shell.capabilities : withoutTerminals(shell.capabilities),
    resolve: resolve && ((exec) =>
      Effect.suspend(() => {
        if (runsHere(exec)) return Effect.undefined
        const decision = decide(exec, rules)
        if (Result.isFailure(decision)) return Effect.undefined
        return Effect.map(resolve(decision.success.exec, { constraints: decision.success.pinned }), (resolved) => {
          if (resolved !== undefined) decided.set(resolved, { exec, decision: decision.success })
          return resolved
        })
      })),
    exec: (exec, options) =>
      runDecided(exec, options, (service, bounded, boundedOptions) => service.exec(bounded, boundedOptions)),
    bytes: (exec, options) =>
      runDecided(exec, options, (service, bounded, boundedOptions) => service.bytes(bounded, boundedOptions)),
  }
}

/** Marks a guarded shell with its policy. A symbol, so that wrappers which spread the service keep the mark. */
const guardedBy: unique symbol = Symbol("@sluice/shell/policy/guardedBy")

const isGuardedBy = (shell: ShellService & { readonly [guardedBy]?: unknown }, policy: AccessPolicySettings): boolean =>
  shell[guardedBy] === policy

/** Fails if the leaf cannot enforce the policy. A shell that this very policy guards is returned as it is. */
export const guardShell = (
  policy: AccessPolicySettings,
  shell: ShellService,
): Effect.Effect<ShellService, AccessPolicyError> => {
  if (isGuardedBy(shell, policy)) return Effect.succeed(shell)
  const error = unenforceable(policy, shell)
  if (error !== undefined) return Effect.fail(error)
  const rules = compileRules(policy, shell.files, shell.capabilities.platform)
  return Effect.succeed({ ...guarded(shell, rules), [guardedBy]: policy })
}
