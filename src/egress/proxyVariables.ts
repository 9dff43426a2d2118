/** Makes the environment variables that point programs in a sandbox to the proxy. */
import { compileRules, type EgressRules } from "./EgressRules.ts"

/** The port of the proxy inside of a sandbox with a network of its own; above those that Linux gives to connections. */
export const proxyPort = 61_080

const ownHosts = ["localhost", "127.0.0.1", "::1"]

/**
 * The variables, in both cases: programs differ in which they read (curl and git do not read `HTTP_PROXY`). `ALL_PROXY` also
 * names the HTTP proxy, because several Python clients refuse SOCKS without a further package. A server inside the sandbox
 * is reached without the proxy, unless the rules name its address, which then means this machine. Throws an `OptionError`
 * for an invalid entry.
 */
export const proxyVariables = (rules: EgressRules): Readonly<Record<string, string>> => {
  const url = `http://127.0.0.1:${proxyPort}`
  const { names } = compileRules(rules)
  const own = ownHosts.filter((host) => !names(host)).join(",")
  const variables = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: own }
  return {
    ...variables,
    ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [name.toLowerCase(), value])),
    // Node reads the others only then.
    NODE_USE_ENV_PROXY: "1",
  }
}
