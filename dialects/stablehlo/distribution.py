"""Operations between devices, and with a host: they are read and printed in generic form."""

from __future__ import annotations

from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, opt_prop_def, var_operand_def, var_region_def, var_result_def

from lamina.dialects.stablehlo.syntax import StablehloOp


class CollectiveOp(StablehloOp):
    """What several devices do together on values, for groups of devices."""

    operands_ = var_operand_def(Attribute)
    replica_groups = opt_prop_def(Attribute)
    source_target_pairs = opt_prop_def(Attribute)
    channel_handle = opt_prop_def(Attribute)
    use_global_device_ids = opt_prop_def(Attribute)
    all_gather_dim = opt_prop_def(Attribute)
    split_dimension = opt_prop_def(Attribute)
    concat_dimension = opt_prop_def(Attribute)
    split_count = opt_prop_def(Attribute)
    scatter_dimension = opt_prop_def(Attribute)
    is_host_transfer = opt_prop_def(Attribute)
    infeed_config = opt_prop_def(Attribute)
    outfeed_config = opt_prop_def(Attribute)
    layout = opt_prop_def(Attribute)
    computation = var_region_def()
    results_ = var_result_def(Attribute)


@irdl_op_definition
class AfterAllOp(CollectiveOp):
    """A token after other tokens."""

    name = "stablehlo.after_all"


@irdl_op_definition
class CreateTokenOp(CollectiveOp):
    """A token before everything."""

    name = "stablehlo.create_token"


@irdl_op_definition
class AllGatherOp(CollectiveOp):
    """The values of all devices, one after the other."""

    name = "stablehlo.all_gather"


@irdl_op_definition
class AllReduceOp(CollectiveOp):
    """The values of all devices, combined."""

    name = "stablehlo.all_reduce"


@irdl_op_definition
class AllToAllOp(CollectiveOp):
    """Parts of values, exchanged between devices."""

    name = "stablehlo.all_to_all"


@irdl_op_definition
class CollectiveBroadcastOp(CollectiveOp):
    """The value of one device for all."""

    name = "stablehlo.collective_broadcast"


@irdl_op_definition
class CollectivePermuteOp(CollectiveOp):
    """Values passed from device to device."""

    name = "stablehlo.collective_permute"


@irdl_op_definition
class ReduceScatterOp(CollectiveOp):
    """Combined values of which each device keeps a part."""

    name = "stablehlo.reduce_scatter"


@irdl_op_definition
class InfeedOp(CollectiveOp):
    """Values from the host."""

    name = "stablehlo.infeed"


@irdl_op_definition
class OutfeedOp(CollectiveOp):
    """Values to the host."""

    name = "stablehlo.outfeed"


@irdl_op_definition
class SendOp(CollectiveOp):
    """Values to a channel."""

    name = "stablehlo.send"


@irdl_op_definition
class RecvOp(CollectiveOp):
    """Values from a channel."""

    name = "stablehlo.recv"
