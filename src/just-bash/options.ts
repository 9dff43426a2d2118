/** Translates just-bash's limits and network options, and refuses by name what the sandbox cannot give. */
import { OptionError, refuseUnknownOptions } from "../base/OptionError.ts"
import type { NetworkPolicy } from "../kernel/network/NetworkPolicy.ts"
import type { KernelLimits } from "../kernel/process/KernelLimits.ts"
import type { ShellLimits } from "../kernel/shell/ShellLimits.ts"
import type { ExecutionLimits, NetworkConfig } from "./types.ts"

/** What to do instead of options that just-bash has and the sandbox lacks. */
const missing: Readonly<Record<string, string>> = {
  python: "give a CPython build for WASI as a program of `Sandbox.open`",
  javascript: "write a custom command",
  fetch: "write `network`",
  sleep: "commands wait in real time",
  trace: "use spans of Effect",
  defenseInDepth: "leave it out; scripts are never JavaScript here",
  coverage: "it belongs to just-bash's interpreter",
  processInfo: "processes of the kernel have ids of their own",
  executionLimitProfile: "write `executionLimits`",
  overlayRoot: "write `fs: new OverlayFs({ root })`",
  maxRedirects: "each redirect is decided by the rules",
}

/** Refuses an option that is not one of `known`; one that turns off what does not exist (`false`) is accepted. */
export const refuseOthers = (where: string, options: object, known: Readonly<Record<string, true>>): void => {
  for (const [name, value] of Object.entries(options)) {
    const instead = missing[name] ??
      (/^max/.test(name) ? "the whole script is bounded by `maxExecutionTimeMs`" : undefined)
    if (Object.hasOwn(known, name) || value === undefined || (instead !== undefined && value === false)) continue
    if (instead === undefined) refuseUnknownOptions(where, { [name]: value }, known)
    throw new OptionError(name, `${where}: ${name} is an option of just-bash that this sandbox lacks: ${instead}`)
  }
}

const limitNames: Readonly<Record<keyof ExecutionLimits, true>> = {
  maxCallDepth: true,
  maxCommandCount: true,
  maxExecDepth: true,
  maxExecutionTimeMs: true,
  maxFileDescriptors: true,
  maxLoopIterations: true,
  maxOutputSize: true,
  maxStringLength: true,
}

/** The limits of a `Bash`, as the kernel and its shell take them. */
export interface LimitSettings {
  readonly maxExecDepth: number
  readonly timeoutMillis: number
  readonly maxOutputBytes: number
  readonly kernel: KernelLimits
  readonly shell: ShellLimits
}

export const readLimits = (limits: ExecutionLimits = {}): LimitSettings => {
  refuseOthers("just-bash: executionLimits", limits, limitNames)
  const { maxExecDepth = 64, maxExecutionTimeMs = 60_000, maxOutputSize = 67_108_864 } = limits
  return {
    maxExecDepth,
    timeoutMillis: maxExecutionTimeMs,
    maxOutputBytes: maxOutputSize,
    kernel: { maxDescriptors: limits.maxFileDescriptors },
    shell: {
      maxDepth: limits.maxCallDepth ?? 100,
      maxCommands: limits.maxCommandCount ?? 100_000,
      maxIterations: limits.maxLoopIterations ?? 100_000,
      maxValueLength: limits.maxStringLength,
    },
  }
}

const networkNames: Readonly<Record<keyof NetworkConfig, true>> = {
  allowedMethods: true,
  allowedUrlPrefixes: true,
  dangerouslyAllowFullInternetAccess: true,
  denyPrivateRanges: true,
  maxResponseSize: true,
  timeoutMs: true,
}

/** A prefix allows its path and what is below it: `/v1` allows `/v1` and `/v1/users`, not `/v10`. */
const pathsBelow = (path: string): ReadonlyArray<string> | undefined =>
  path === "/" ? undefined : path.endsWith("/") ? [`${path}*`] : [path, `${path}/*`]

export const readNetwork = (config: NetworkConfig): NetworkPolicy => {
  refuseOthers("just-bash: network", config, networkNames)
  const { allowedUrlPrefixes = [], maxResponseSize = 10_485_760, timeoutMs = 30_000 } = config
  const all = config.dangerouslyAllowFullInternetAccess === true
  const common = {
    privateAddresses: config.denyPrivateRanges === false,
    methods: all ? undefined : config.allowedMethods ?? ["GET", "HEAD"],
  }
  const rules = allowedUrlPrefixes.map((entry) => {
    const { transform = [], url: text } = typeof entry === "string" ? { url: entry } : entry
    if (!URL.canParse(text)) {
      throw new OptionError("allowedUrlPrefixes", `just-bash: ${text} is not a URL such as https://example.org/v1`)
    }
    const url = new URL(text)
    const headers = Object.assign({}, ...transform.map((each) => each.headers))
    return { ...common, origin: url.origin, paths: pathsBelow(url.pathname), headers }
  })
  const others = all ? ["https://*", "http://*"].map((origin) => ({ ...common, origin })) : []
  return { origins: [...rules, ...others], timeout: timeoutMs, maxBodyBytes: maxResponseSize }
}
