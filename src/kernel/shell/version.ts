/**
 * The version that the shell says it has: that of the bash whose language it speaks.
 *
 * @module
 */

/** The first five elements of `BASH_VERSINFO`. */
export const bashVersion: readonly [major: string, minor: string, patch: string, build: string, release: string] = [
  "5",
  "2",
  "0",
  "1",
  "sluice",
]

const [major, minor, patch, build, release] = bashVersion

/** `BASH_VERSION` */
export const versionText: string = `${major}.${minor}.${patch}(${build})-${release}`

/** `HOSTTYPE`: what `uname -m` prints. */
export const hostType = "wasm32"

/** `OSTYPE`: scripts ask whether utilities have GNU's options. */
export const systemType = "linux-gnu"

/** `MACHTYPE` */
export const machineType: string = `${hostType}-sluice-${systemType}`
