/**
 * Wraps a shell service so that a policy decides about each command before it runs; fails if the leaf cannot enforce
 * the policy, and wraps no shell that the policy guards already.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { ShellCapabilities } from "../shell/ShellCapabilities.ts"
import type { LeafRunOptions, ResolvedCommand, ShellService } from "../shell/ShellService.ts"
import { AccessPolicyError } from "./AccessPolicyError.ts"
import { decide, type Decision } from "./decide.ts"
import { allowDirectory, makeRoots } from "./allowDirectory.ts"
import type { LeafFiles } from "../shell/LeafFiles.ts"
import { isAbsolutePath, quoteForMessage } from "./nameMatcher.ts"
import { notAllowed, toShellFault } from "./Refusal.ts"
import { unboundedTerminals } from "./unboundedTerminals.ts"
import type { AccessPolicySettings } from "./accessPolicyFields.ts"
import { type CompiledRules, compileRules } from "./CompiledRules.ts"

/** The error of a default directory that is not allowed. */
const outside = (policy: AccessPolicySettings, files: LeafFiles): AccessPolicyError | undefined => {
  const roots = policy.allowedCwdRoots === undefined ? undefined : makeRoots(files, policy.allowedCwdRoots)
  const allowed = allowDirectory(files, roots, policy.defaultCwd ?? ".")
  if (Result.isSuccess(allowed)) return undefined
  return new AccessPolicyError({
    field: "defaultCwd",
    message: `access: the default directory ${quoteForMessage(policy.defaultCwd ?? ".")}: ${
      allowed.failure.message.replace(/^exec: /, "")
    }`,
  })
}

/** The error of a policy that this leaf cannot enforce. */
const misfit = (policy: AccessPolicySettings, shell: ShellService): AccessPolicyError | undefined => {
  const { leaf } = shell.capabilities
  if (policy.shell !== undefined && policy.shell !== "leaf" && !isAbsolutePath(policy.shell)) {
    const message = `access: the shell of scripts is an absolute path, or "leaf"; not ${
      quoteForMessage(policy.shell)
    } (INVALID)`
    return new AccessPolicyError({ field: "shell", message })
  }
  if (shell.files !== undefined) return policy.defaultCwd === undefined ? undefined : outside(policy, shell.files)
  if ((policy.allowedCwdRoots?.length ?? 0) > 0) {
    const message = `access: working directories cannot be looked at on the leaf ${leaf} (NO_FILES)`
    return new AccessPolicyError({ field: "allowedCwdRoots", message })
  }
  return undefined
}

/** Reads the limits only when they are asked for, which looks for programs. */
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

const guarded = (shell: ShellService, rules: CompiledRules): ShellService => {
  const noTerminals = unboundedTerminals(rules.policy, shell)
  // A command that was resolved for its journal entry is not decided about twice: the spawn compares what was checked.
  const decided = new WeakMap<ResolvedCommand, { readonly asked: ShellExec; readonly decision: Decision }>()
  const asked = <A>(
    exec: ShellExec,
    options: LeafRunOptions | undefined,
    run: (exec: ShellExec, options: LeafRunOptions) => Stream.Stream<A, ShellFault>,
  ): Stream.Stream<A, ShellFault> =>
    Stream.suspend(() => {
      if (options?.terminal !== undefined && noTerminals !== undefined) {
        const issue = `${quoteForMessage(exec.command)} may not have a terminal: ${noTerminals}`
        return Stream.fail(toShellFault(exec.commandId, notAllowed("terminal", exec.command, issue)))
      }
      const known = options?.resolved === undefined ? undefined : decided.get(options.resolved)
      const decision = known?.asked === exec ? Result.succeed(known.decision) : decide(exec, rules)
      return Result.isFailure(decision)
        ? Stream.fail(decision.failure)
        : run(decision.success.exec, { ...options, constraints: decision.success.pinned })
    })
  const { resolve } = shell
  return {
    ...shell,
    capabilities: noTerminals === undefined ? shell.capabilities : withoutTerminals(shell.capabilities),
    resolve: resolve && ((exec) => {
      const decision = decide(exec, rules)
      if (Result.isFailure(decision)) return undefined
      const resolved = resolve(decision.success.exec, { constraints: decision.success.pinned })
      if (resolved !== undefined) decided.set(resolved, { asked: exec, decision: decision.success })
      return resolved
    }),
    exec: (exec, options) => asked(exec, options, shell.exec),
    bytes: (exec, options) => asked(exec, options, shell.bytes),
  }
}

/** Marks a guarded shell with its policy. A symbol, so that wrappers which spread the service keep the mark. */
const guardedBy: unique symbol = Symbol("@sluice/shell/policy/guardedBy")

const isGuardedBy = (shell: ShellService & { readonly [guardedBy]?: unknown }, policy: AccessPolicySettings): boolean =>
  shell[guardedBy] === policy

/**
 * Guards a shell with a policy; fails if the leaf cannot enforce it. A shell that this very policy guards already, also
 * behind a journal, is returned as it is.
 */
export const guardShell = (
  policy: AccessPolicySettings,
  shell: ShellService,
): Effect.Effect<ShellService, AccessPolicyError> => {
  if (isGuardedBy(shell, policy)) return Effect.succeed(shell)
  const error = misfit(policy, shell)
  if (error !== undefined) return Effect.fail(error)
  const rules = compileRules(policy, shell.files, shell.capabilities.platform)
  return Effect.succeed({ ...guarded(shell, rules), [guardedBy]: policy })
}
