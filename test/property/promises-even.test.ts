import { attackPromises } from "./promises.ts";

attackPromises(1);
