/** Decides whether an IP address is on the public Internet, this machine or a private network (RFC 6890; IANA registries). */
import { nodeBuiltins } from "../base/nodeBuiltins.ts"

/** Networks that are not the public Internet, and the address at which Azure serves secrets of a machine, 168.63.129.16. */
const ipv4 =
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`
/**
 * Everything except global unicast, and those parts of global unicast that embed IPv4 addresses (Teredo, 6to4) or are
 * for documentation.
 */
const ipv6 = "::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20"

const networks = (text: string) =>
  text.trim().split(/\s+/).map((network) => {
    const [address = "", length = ""] = network.split("/")
    return [address, Number(length)] as const
  })

/** Networks of one organization, and of this machine. */
const private4 = "10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.168.0.0/16"
const private6 = "::1/128 fc00::/7"

/** Networks within these at which clouds serve the credentials of a machine: Alibaba, Amazon, Google and Scaleway. */
const metadata4 = "100.100.100.200/32"
const metadata6 = "fd00:ec2::/32 fd20:ce::254/128 fd00:42::42/128"

/** Makes a function that returns the family of an address (0 if it is invalid), and whether it is within the networks. */
const makeFamilyCheck = (
  networks4: string,
  networks6: string,
): ((address: string) => { readonly family: number; readonly isWithin: boolean }) | undefined => {
  const net = nodeBuiltins()?.getBuiltinModule("node:net")
  if (net === undefined) return undefined
  const within4 = new net.BlockList()
  for (const [address, length] of networks(networks4)) within4.addSubnet(address, length, "ipv4")
  const within6 = new net.BlockList()
  for (const [address, length] of networks(networks6)) within6.addSubnet(address, length, "ipv6")
  return (address) => {
    // An address with a zone, such as `fe80::1%eth0`, belongs to a network of this machine; Deno's block list misses
    // it.
    const family = address.includes("%") ? 0 : net.isIP(address)
    const isWithin = family === 4 ? within4.check(address, "ipv4") : family === 6 && within6.check(address, "ipv6")
    return { family, isWithin }
  }
}

/** Decides whether an address is on the public Internet; `undefined` where the runtime has no sockets. */
export const makePublicAddressCheck = (): ((address: string) => boolean) | undefined => {
  // An IPv4 address within an IPv6 one is in `::/3`.
  const check = makeFamilyCheck(ipv4, ipv6)
  if (check === undefined) return undefined
  return (address) => {
    const { family, isWithin } = check(address)
    return family !== 0 && !isWithin
  }
}

/** Whether an address is on this machine or a private network, except where clouds serve credentials. */
export const makePrivateAddressCheck = (): ((address: string) => boolean) | undefined => {
  const check = makeFamilyCheck(private4, private6)
  const isMetadata = makeFamilyCheck(metadata4, metadata6)
  if (check === undefined || isMetadata === undefined) return undefined
  return (address) => check(address).isWithin && !isMetadata(address).isWithin
}
