// oxlint-disable-next-line import/no-default-export -- pi takes what a module exports by default.
export { longhaulPi as default, longhaulPi } from "./extension.ts";
