/** Reads the local leaves' options from Effect's `Config`: environment variables, or any other provider. */
import * as Config from "effect/Config"
import * as Option from "effect/Option"
import type { LocalShellOptions } from "./LocalShellOptions.ts"

const optional = <A>(config: Config.Config<A>): Config.Config<A | undefined> =>
  Config.map(Config.option(config), Option.getOrUndefined)

const common = {
  cwd: optional(Config.String("WORKING_DIRECTORY")),
  defaultShell: optional(Config.String("DEFAULT_SHELL")),
  extendEnv: optional(Config.Boolean("INHERIT_ENVIRONMENT")),
  concurrencyLimit: optional(Config.Int("CONCURRENCY_LIMIT")),
  queueLimit: optional(Config.Int("QUEUE_LIMIT")),
  timeout: optional(Config.Duration("DEFAULT_TIMEOUT")),
  grace: optional(Config.Duration("GRACE_PERIOD")),
  drainGrace: optional(Config.Duration("DRAIN_GRACE")),
  localBin: optional(Config.Boolean("LOCAL_BIN")),
} as const

/** Options on POSIX systems. */
export const posixConfig: Config.Config<LocalShellOptions> = Config.all({
  ...common,
  cleanup: optional(Config.Boolean("CLEANUP")),
  dieWithParent: optional(Config.Boolean("DIE_WITH_PARENT")),
})

/** Options on Windows. */
export const windowsConfig: Config.Config<LocalShellOptions> = Config.all({
  ...common,
  preferPowerShell: optional(Config.Boolean("PREFER_POWERSHELL")),
  useJobObjects: optional(Config.Boolean("USE_JOB_OBJECTS")),
})
