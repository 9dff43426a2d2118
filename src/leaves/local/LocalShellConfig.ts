/** Reads the local leaves' options from Effect's `Config`: environment variables, or any other provider. */
import * as Config from "effect/Config"
import { optionalConfig } from "../../base/optionalConfig.ts"
import type { LocalShellOptions } from "./LocalShellOptions.ts"

const common = {
  cwd: optionalConfig(Config.String("CWD")),
  defaultShell: optionalConfig(Config.String("DEFAULT_SHELL")),
  extendEnv: optionalConfig(Config.Boolean("EXTEND_ENV")),
  maxConcurrency: optionalConfig(Config.Int("MAX_CONCURRENCY")),
  maxQueued: optionalConfig(Config.Int("MAX_QUEUED")),
  timeout: optionalConfig(Config.Duration("TIMEOUT")),
  grace: optionalConfig(Config.Duration("GRACE")),
  drainGrace: optionalConfig(Config.Duration("DRAIN_GRACE")),
  localBin: optionalConfig(Config.Boolean("LOCAL_BIN")),
} as const

/** Options on POSIX systems. */
export const posixConfig: Config.Config<LocalShellOptions> = Config.all({
  ...common,
  cleanup: optionalConfig(Config.Boolean("CLEANUP")),
  dieWithParent: optionalConfig(Config.Boolean("DIE_WITH_PARENT")),
})

/** Options on Windows. */
export const windowsConfig: Config.Config<LocalShellOptions> = Config.all({
  ...common,
  preferPowerShell: optionalConfig(Config.Boolean("PREFER_POWERSHELL")),
  useJobObjects: optionalConfig(Config.Boolean("USE_JOB_OBJECTS")),
})
