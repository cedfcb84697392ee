// Every event as one line of a log; for OpenTelemetry there is `longhaul/telemetry`.
import { createContext, type Message } from "longhaul";
import pino from "pino";

const log = pino({ base: null });
const onEvent = ({ name, event }: { name: string; event: object }): void => log.info(event, name);
const context = createContext({ window: 16_000, plugins: [{ name: "pino", onEvent }] });

const history: Message[] = [
  { role: "user", parts: [{ type: "text", text: "Read all the logs." }] },
  ...Array.from({ length: 300 }, (_, n): Message => {
    const text = `Log ${n} says that all is well, and that there is nothing to report today.`;
    return { role: "assistant", parts: [{ type: "text", text: text.repeat(3) }] };
  }),
];
await context.prepare(history);
