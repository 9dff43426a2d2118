/**
 * Questions to the search of the site, and the page that must come first.
 *
 * @module
 */

/** @type {ReadonlyArray<readonly [question: string, page: string]>} */
export const questions = [
  ["how to kill a process", "termination.html"],
  ["run command over ssh", "ssh.html"],
  ["limit output", "concurrency.html"],
  ["stream lines", "output-and-windows.html"],
  ["mcp server", "mcp-server.html"],
  ["install", "getting-started.html"],
  ["coming from zx", "coming-from.html"],
  ["coming from just-bash", "coming-from-just-bash.html"],
  ["what is the exit code", "failures.html"],
  ["docker", "containers.html"],
  ["timeout", "termination.html"],
  ["mock a command in tests", "testing.html"],
  ["pipe one command into another", "pipelines.html"],
  ["which commands may an agent run", "policy.html"],
  ["hide a token from the log", "secrets.html"],
  ["replay a recorded run", "journals.html"],
  ["run untrusted code without network", "isolation.html"],
  ["type into a prompt", "terminals.html"],
  ["retry a command", "failures.html"],
  ["LocalShell", "api/shell.ts/~/LocalShell.html"],
]
