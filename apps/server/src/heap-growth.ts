/**
 * Imported before anything else: the heaps of this process and of its threads may double before all of them is looked through for
 * garbage. V8 derives how far they may grow from how fast objects come. Sound is hardly any objects, its samples lie outside of the heap
 * and are counted all the same: left alone, V8 marks the whole heap twice a second under load, which takes an eighth of the processor
 * time (`npm run trial -- load`). No option in the environment says this, and a start command would have to be told everywhere.
 */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--heap-growing-percent=100');
