/** Writes the message of an `IsolationError`: what was tried, and what to do on this machine. */
import type { Host } from "../../host/Host.ts"

/** Advice for Deno programs without the permissions that the leaf needs before the first command. */
export const denoAdvice =
  "Deno needs --allow-read --allow-write --allow-env --allow-run --allow-sys=uid,gid for isolation"

const settingOf = (host: Host, name: string): string | undefined => host.readText(`/proc/sys/${name}`)?.trim()

const findReasons = (host: Host): ReadonlyArray<string> => {
  const reasons: Array<string> = []
  if (settingOf(host, "kernel/apparmor_restrict_unprivileged_userns") === "1") {
    reasons.push(
      "AppArmor restricts user namespaces (Ubuntu 23.10 and later): give bwrap a profile with `userns,` in " +
        "/etc/apparmor.d/bwrap, or set kernel.apparmor_restrict_unprivileged_userns=0 with sysctl",
    )
  }
  if (settingOf(host, "kernel/unprivileged_userns_clone") === "0") {
    reasons.push("set kernel.unprivileged_userns_clone=1 with sysctl")
  }
  if (settingOf(host, "user/max_user_namespaces") === "0") {
    reasons.push("set user.max_user_namespaces to more than 0 with sysctl")
  }
  if (host.fileKind("/.dockerenv") !== "none" || host.fileKind("/run/.containerenv") !== "none") {
    reasons.push(
      "this is a container, whose seccomp filter refuses namespaces: start it with " +
        "--security-opt seccomp=unconfined --security-opt systempaths=unconfined, or isolate by containers (@sluice/shell/container)",
    )
  }
  return reasons
}

const install =
  "install bubblewrap (Debian, Ubuntu, Fedora: package bubblewrap) and see that user namespaces are allowed"

/** Parts of messages, and what to do about them. */
const remedies: ReadonlyArray<readonly [RegExp, string]> = [
  [/^flock .* is not installed/, "install util-linux"],
  [
    /number of arguments|argument list too long|E2BIG/i,
    "make folders further down writable: each Git repository there needs mounts",
  ],
  [/is not installed|may not be run/, install],
]

/**
 * Matches the messages of engines to which the system refused namespaces or mounts, but not those about an unreadable
 * folder.
 */
const isRefusal = (message: string): boolean =>
  /namespace|not permitted|permission denied|unshare failed|uid.?map/i.test(message) && !message.includes("source path")

const findTodo = (host: Host, messages: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (host.runtime === "deno" && messages.some((message) => /may not be run$|NotCapable/.test(message))) {
    return [denoAdvice]
  }
  if (host.os !== "linux") return ["use a container or a virtual machine with Linux"]
  const reasons = messages.some(isRefusal) ? findReasons(host) : []
  if (reasons.length > 0) return reasons
  if (messages.some(isRefusal)) return [install]
  const [, remedy = "fix the problem described above, and make the leaf again"] =
    remedies.find(([pattern]) => messages.some((message) => pattern.test(message))) ?? []
  return [remedy]
}

/** Writes the message. */
export const adviceFor = (
  host: Host,
  attempts: ReadonlyArray<{ readonly engine: string; readonly message: string }>,
): string => {
  const tried = attempts.map(({ engine, message }) => `${engine}: ${message}`).join("; ")
  const todo = findTodo(host, attempts.map(({ message }) => message)).join("; ")
  return `isolation: commands cannot be isolated on this machine, so no command is run. Tried ${tried}. What to do: ${todo}.`
}
