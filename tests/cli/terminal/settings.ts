/** Compares the settings of a terminal before and after a command line. */
import { expect } from "@effect/vitest"

/** Prints the name of the terminal, its settings before and after a line, and the status of the line. */
export const framed = (line: string, size = "rows 30 cols 100"): string =>
  `stty ${size}; tty; stty -g >&2; ${line}; s=$?; echo; stty -g; echo "status $s"`

const settings = (screen: string): ReadonlyArray<string> => screen.match(/[0-9a-f]+(?::[0-9a-f]+){10,}/gm) ?? []

/** Expects the same settings after a framed line as before. */
export const expectRestored = (screen: string): void => {
  const [before, after] = settings(screen)
  expect(before).toBeDefined()
  expect(after).toBe(before)
}
