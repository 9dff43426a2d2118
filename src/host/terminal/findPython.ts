/** Finds `python3`, whose engine is loaded when a terminal is opened. */
import type { Host } from "../Host.ts"

const paths = ["/usr/bin/python3", "/usr/local/bin/python3", "/bin/python3"]

/** Path of `python3`, where it may be run. */
export const findPython = (host: Host): string | undefined =>
  host.os === "linux" || host.os === "darwin"
    ? paths.find((path) => host.fileKind(path) === "executable" && host.mayRun(path))
    : undefined
