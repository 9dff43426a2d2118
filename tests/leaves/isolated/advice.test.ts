import { describe, expect, test } from "@effect/vitest"
import { adviceFor } from "../../../src/leaves/isolated/advice.ts"
import { findHost } from "../../../src/host/findHost.ts"
import type { Host } from "../../../src/host/Host.ts"

/** A container that also restricts namespaces. */
const container = (): Host => {
  const host = findHost()
  if (host === undefined) throw new Error("no host")
  return {
    ...host,
    os: "linux",
    fileKind: () => "file",
    readText: (path) => path.endsWith("unprivileged_userns_clone") ? "0\n" : undefined,
  }
}

const adviceAbout = (...messages: ReadonlyArray<string>): string => {
  const [, advice = ""] = adviceFor(container(), messages.map((message) => ({ engine: "any", message }))).split(
    "What to do: ",
  )
  return advice
}

describe("the advice of an IsolationError", () => {
  test("blames the machine for a refusal that was seen, and for nothing else", () => {
    for (
      const refusal of [
        "bwrap: No permissions to create new namespace",
        "bwrap: setting up uid map: Permission denied",
        "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
        "unshare: unshare failed: No space left on device",
      ]
    ) {
      expect(adviceAbout("bwrap is not installed, or may not be executed", refusal)).toContain("this is a container")
      expect(adviceAbout(refusal)).toContain("kernel.unprivileged_userns_clone=1")
    }
    const others = {
      "bwrap: Exceeded maximum number of arguments 9000": "make folders further down writable",
      "bwrap: Can't find source path /tmp/x: Permission denied": "fix the problem described above",
      "sh: 1: cannot create /tmp/sluice-isolated-x/0: Directory nonexistent": "fix the problem described above",
      "flock (util-linux) is not installed": "install util-linux",
      "unshare is not installed, or is missing": "install bubblewrap",
    }
    for (const [message, advice] of Object.entries(others)) {
      expect(adviceAbout(message)).toContain(advice)
      expect(adviceAbout(message)).not.toContain("container")
    }
  })
})
