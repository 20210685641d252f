import { catalogue, checkFaults } from '../faults/catalogue.ts'

checkFaults(catalogue.filter(({ isInRealTime }) => isInRealTime))
