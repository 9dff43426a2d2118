/** Defines the version and the system type that the shell reports to scripts: those of the bash that it imitates. */

/** The first five elements of `BASH_VERSINFO`. */
export const bashVersion: readonly [major: string, minor: string, patch: string, build: string, release: string] = [
  "5",
  "2",
  "0",
  "1",
  "sluice",
]

const [major, minor, patch, build, release] = bashVersion

export const versionText: string = `${major}.${minor}.${patch}(${build})-${release}`

/** `HOSTTYPE`, as `uname -m` prints it. */
export const hostType = "wasm32"

/** `OSTYPE`, from which scripts conclude that utilities have GNU's options. */
export const systemType = "linux-gnu"

export const machineType: string = `${hostType}-sluice-${systemType}`
