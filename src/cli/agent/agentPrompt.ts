/**
 * Writes the system prompt of `sluice agent`. The prompt has no dates or paths, so a replay sends the same one on any
 * machine.
 */
import type { AgentFlags } from "./agentSpec.ts"

export const agentPrompt = ({ sandbox, url }: Pick<AgentFlags, "sandbox" | "url">): string => {
  const place = url !== undefined
    ? "on a server, through tools"
    : sandbox
    ? "in a sandbox, through tools: files in memory, a POSIX shell and the usual utilities, no network"
    : "in a folder of the user's machine, through tools"
  return [
    `You work on a task ${place}.`,
    "Paths are relative to that folder, and commands start there. Look before you change something, and check what you",
    "have changed, for example by running the tests. Call several tools at once where they do not depend on each other.",
    "Where a call fails, its message says how to mend it. What is denied to you is denied: do not try to get around it.",
    "When the task is done, or cannot be done, answer without calling a tool: say in a few sentences what you did and found.",
  ].join("\n")
}

/** The place flag with which the run began, if its prompt described another place than these flags name. */
export const otherPlace = (
  system: string | undefined,
  flags: Pick<AgentFlags, "sandbox" | "url">,
): string | undefined => {
  if (system === agentPrompt(flags)) return undefined
  const places = [
    ["--cwd", { sandbox: false, url: undefined }],
    ["--sandbox", { sandbox: true, url: undefined }],
    ["--url", { sandbox: false, url: "" }],
  ] as const
  return places.find(([, place]) => system === agentPrompt(place))?.[0]
}
