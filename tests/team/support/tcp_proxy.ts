/** A proxy on this machine before a server: it records what clients send, and cuts connections. */

/**
 * What becomes of a connection: `cutAfter` bytes of answers it ends, and at a statement with the word of `cut` before that
 * arrives; after a statement with the word of `mute` no answer comes.
 */
export interface Fate {
  readonly cut?: string;
  readonly cutAfter?: number;
  readonly mute?: string;
}

export interface TcpProxy extends Disposable {
  readonly port: number;
  /** What clients have sent, by connection. */
  readonly sent: () => readonly Uint8Array[];
  /** How many connections there were, and how many of them were cut. */
  readonly counts: { connections: number; cut: number };
  /** Decides about each new connection. */
  fateOf: (connection: number) => Fate;
  /** Resolves when a connection has been muted and the server has answered it. */
  readonly muted: () => Promise<void>;
}

/** Listens, and passes on to a port of this machine. @param options `records`: keeps what clients send. */
export function proxyTo(
  port: number,
  { records = true }: { readonly records?: boolean } = {},
): TcpProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const record: Uint8Array[][] = [];
  const open = new Set<Deno.Conn>();
  let onMuted = () => {};
  const proxy: TcpProxy = {
    port: listener.addr.port,
    sent: () => record.map((parts) => Uint8Array.from(parts.flatMap((part) => [...part]))),
    counts: { connections: 0, cut: 0 },
    fateOf: () => ({}),
    muted: () => new Promise((resolve) => (onMuted = resolve)),
    [Symbol.dispose]() {
      listener.close();
      for (const end of open) close(end);
    },
  };
  const close = (end: Deno.Conn) => {
    open.delete(end);
    try {
      end.close();
    } catch {
      // It has ended.
    }
  };
  const serve = async (client: Deno.Conn) => {
    const { cutAfter = Infinity, cut, mute } = proxy.fateOf(proxy.counts.connections++);
    const sent: Uint8Array[] = [];
    record.push(sent);
    open.add(client);
    let isMute = false;
    try {
      const server = await Deno.connect({ hostname: "127.0.0.1", port });
      open.add(server);
      const there = pass(client, server, (bytes) => {
        if (records) sent.push(bytes);
        if (cut !== undefined && latin1(bytes).includes(cut)) throw new Error("cut");
        isMute ||= mute !== undefined && latin1(bytes).includes(mute);
        return true;
      });
      let answered = 0;
      const back = pass(server, client, (bytes) => {
        answered += bytes.length;
        if (isMute) onMuted();
        if (answered <= cutAfter) return !isMute;
        proxy.counts.cut++;
        throw new Error("cut");
      });
      await Promise.race([there, back]).finally(() => close(server));
    } catch {
      // The server is away, or the connection was cut.
    } finally {
      close(client);
    }
  };
  (async () => {
    for await (const client of listener) serve(client);
  })().catch(() => {});
  return proxy;
}

/** Passes bytes on where `look` lets them. */
async function pass(
  from: Deno.Conn,
  to: Deno.Conn,
  look: (bytes: Uint8Array) => boolean,
): Promise<void> {
  const buffer = new Uint8Array(1 << 16);
  for (;;) {
    const length = await from.read(buffer);
    if (length === null) return;
    const bytes = buffer.slice(0, length);
    if (!look(bytes)) continue;
    for (let at = 0; at < bytes.length;) at += await to.write(bytes.subarray(at));
  }
}

function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}
