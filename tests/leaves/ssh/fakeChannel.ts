/** A channel of a server that answers only what a test lets it. */
import ssh2, { type Channel, type ClientChannel } from "ssh2"
